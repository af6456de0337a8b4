import type { Field, Offer } from '@portico/contract/contacts'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { chooseFile, detailsOf, openNewImport, openStep, rowOf } from '../screens.ts'

let lantern: Account
let wim: Person

test.beforeAll(async () => {
  lantern = await makeAccount('Lantern Charity')
  wim = await makePerson('Wim', { accounts: [lantern] })
})

/** A list as exported by spreadsheets: a title, a date, two columns of the same name, and blank ones. */
const donors = `Donors of spring,,,,
Exported on 1 March
Email,Phone,Phone,ZIP,,
ada@example.com,+1 312 555 0134,312 555 0199,08001,,
bob@example.com,,,60614
`

test('header problems are resolved in the dialog, and the report keeps the line numbers of the file', async ({
  page,
}) => {
  await signIn(page, wim)
  const dialog = await openNewImport(page)
  await chooseFile(page, dialog, 'donors.csv', Buffer.from(donors))
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Spring donors')
  await openStep(dialog, 'Match')
  await expect(dialog.getByRole('alert')).toContainText('The file cannot be imported like this')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Use line 3', exact: true }).click()
  await expect(dialog.getByText('Column 3: Phone → Phone (2)')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Use these names' }).click()
  await expect(dialog.getByRole('combobox', { name: 'Import Phone (2) as' })).toHaveValue('Phone (2)')
  await expect(dialog.getByText(/^Columns 5, 6 have no name and no values, and are left out\./)).toBeVisible()
  await dialog.getByRole('button', { name: 'Choose another line' }).click()
  await expect(dialog.getByRole('table', { name: 'First lines of the file' })).toBeVisible()
  await expectAccessible(page)
  await openStep(dialog, 'Options')
  await dialog.getByRole('switch', { name: 'Generate PURL' }).uncheck()
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(dialog).toBeHidden()

  const row = rowOf(page, 'Spring donors')
  await expect(row.getByText('completed')).toBeVisible()
  await row
    .getByRole('button', { name: /Spring donors/ })
    .first()
    .click()
  expect(await detailsOf(page)).toMatchObject({ 'Header Line': '3', 'Name Columns': 'Yes', Created: '1' })
  const api = await apiOf(wim, lantern)
  expect((await api.get<Field[]>('/contact-service/v1/fields')).map(({ name }) => name)).toEqual([
    'Email',
    'Phone',
    'Phone (2)',
    'ZIP',
  ])
  expect(await api.get<Offer[]>('/contact-service/v1/offers?limit=5')).toMatchObject([
    { Email: 'ada@example.com', Phone: '+1 312 555 0134', 'Phone (2)': '312 555 0199', ZIP: '08001' },
  ])

  // The next file with these columns is read in the same way, though it has another title.
  const again = await openNewImport(page)
  await chooseFile(page, again, 'summer.csv', Buffer.from(donors.replace('Exported', 'Donors\nExported')))
  await again.getByRole('textbox', { name: 'Import Name' }).fill('Summer donors')
  await openStep(again, 'Match')
  await expect(again.getByText("on line 4 of the file. Read as for the import 'Spring donors'.")).toBeVisible()
  await expect(again.getByRole('combobox', { name: 'Import Phone (2) as' })).toHaveValue('Phone (2)')
})
