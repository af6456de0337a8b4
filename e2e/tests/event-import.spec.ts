import type { Offer } from '@portico/contract/contacts'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { chooseFile, detailsOf, openNewImport, openStep, rowOf, snackbar } from '../screens.ts'

let orchard: Account
let nora: Person

test.beforeAll(async () => {
  orchard = await makeAccount('Orchard Fruits')
  nora = await makePerson('Nora', { accounts: [orchard] })
  const api = await apiOf(nora, orchard)
  await api.importFile('Spring leads', csvFile(contacts(3)))
})

const events = `Email,What,event_date,price,Secret
person.1@example.com,buy,2026-05-06T07:08:09Z,12.5,x
person.1@example.com,view,2026-05-07,3,x
nobody@example.com,view,2026-05-07,,x
`

test('a file of events is imported with kind, key and columns, and shows the outcome', async ({ page }) => {
  await signIn(page, nora)
  const dialog = await openNewImport(page)
  // Entered for contacts, and kept while events are shown.
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Not this time')
  await dialog.getByRole('radiogroup', { name: 'What the file holds' }).getByText('Events').click()
  await chooseFile(page, dialog, 'events.csv', events)
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Spring events')
  await openStep(dialog, 'Match')
  await expect(dialog.getByRole('combobox', { name: 'Key Column' })).toHaveValue('Email')
  await expect(dialog.getByRole('combobox', { name: 'Contact Field' })).toHaveValue('Email')
  await expect(dialog.getByText('Map a column to event_code.')).toBeVisible()
  await expect(dialog.getByRole('alert')).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Next' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Map a column to event_code.')
  await dialog.getByRole('combobox', { name: 'Field for What' }).fill('event_code')
  await expect(dialog.getByRole('alert')).toHaveCount(0)
  await dialog.getByRole('combobox', { name: 'Field for Secret' }).fill('')
  await expectAccessible(page)
  await openStep(dialog, 'Options')
  await expect(dialog.getByRole('switch', { name: 'Generate PURL' })).toBeHidden()
  await openStep(dialog, 'Review')
  const reviewed = dialog.getByRole('table', { name: 'Events to record' }).getByRole('row')
  await expect(reviewed.nth(0)).toHaveText('Contact (Email)event_codeevent_dateprice')
  await expect(reviewed.nth(1)).toContainText('person.1@example.combuy')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(snackbar(page, "'Spring events' was saved.")).toBeVisible()

  const row = rowOf(page, 'Spring events')
  await expect(row.getByText('completed')).toBeVisible()
  await row
    .getByRole('button', { name: /Spring events/ })
    .first()
    .click()
  expect(await detailsOf(page)).toMatchObject({
    Kind: 'Events',
    'Key Column': 'Email',
    'Contact Field': 'Email',
    Created: '2',
  })
  const api = await apiOf(nora, orchard)
  const find = encodeURIComponent(JSON.stringify([{ $match: { events: { $elemMatch: { price: { $gt: 12 } } } } }]))
  const [found] = await api.get<Offer[]>(`/contact-service/v1/offers?find=${find}`)
  expect(found).toMatchObject({ Email: 'person.1@example.com' })

  // The next import of contacts starts with the settings of the last one of contacts.
  const again = await openNewImport(page)
  await expect(again.getByRole('radio', { name: 'Contacts' })).toBeChecked()
  await chooseFile(page, again, 'contacts.csv', csvFile(contacts(3)))
  await again.getByRole('textbox', { name: 'Import Name' }).fill('More leads')
  await openStep(again, 'Options')
  await expect(again.getByRole('switch', { name: 'Generate PURL' })).not.toBeChecked()
})

test('a file with columns of events, chosen as one of contacts, is imported as events', async ({ page }) => {
  await signIn(page, nora)
  const dialog = await openNewImport(page)
  const exported = 'Email,events.event_code,events.event_date\nperson.2@example.com,sign,2026-05-08\n'
  await chooseFile(page, dialog, 'exported.csv', exported)
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Exported events')
  await openStep(dialog, 'Match')
  await expect(dialog.getByText('2 columns of events')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Import as events' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Import Name' })).toHaveValue('Exported events')
  await openStep(dialog, 'Match')
  await expect(dialog.getByRole('combobox', { name: 'Field for events.event_code' })).toHaveValue('event_code')
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(rowOf(page, 'Exported events').getByText('completed')).toBeVisible()
})
