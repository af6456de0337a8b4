import { expectAccessible } from '../accessibility.ts'
import { apiOf, type Client } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import { type Account, expect, makeAccount, makePerson, openScreen, type Person, signIn, test } from '../portal.ts'
import { detailsOf, dialogOf, snackbar } from '../screens.ts'

let account: Account
let ines: Person
let api: Client

test.beforeAll(async () => {
  account = await makeAccount('Hazel Florist')
  ines = await makePerson('Ines', { accounts: [account] })
  api = await apiOf(ines, account)
  const keys = { generatePURL: true, purlColumns: ['First Name', 'Last Name'], dedupColumns: ['Email'] }
  await api.importFile('Spring leads', csvFile(contacts(2)), keys)
})

test('a contact is added, edited in place by keyboard with a conflict reported, and a change is undone', async ({
  page,
  trouble,
}) => {
  await signIn(page, ines)
  await openScreen(page, 'Search & Analyze')
  await page.getByRole('button', { name: 'Add Contact' }).click()
  const dialog = dialogOf(page, 'Add Contact')
  await dialog.getByLabel('First Name').fill('Nora')
  await dialog.getByLabel('Last Name').fill('Berg')
  await dialog.getByLabel('Email').fill('person.1@example.com')
  trouble.expect('409 POST /api/contact-service/v1/offers')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(dialog.getByRole('alert')).toContainText('has the same "Email"')
  await dialog.getByLabel('Email').fill('nora@example.com')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Nora Berg' })).toBeVisible()
  const region = (name: string) => page.getByRole('region', { name })
  await expect.poll(() => detailsOf(region('PURL'))).toMatchObject({ PURL: 'noraberg' })

  const fields = region('Fields')
  await fields.getByRole('button', { name: 'Edit City' }).press('Enter')
  await expect(fields.getByLabel('City', { exact: true })).toBeFocused()
  await page.keyboard.type('Bern')
  await page.keyboard.press('Enter')
  await expect(fields.getByRole('button', { name: 'Edit City' })).toBeFocused()
  await expect(region('Changes').getByText(': no value → Bern')).toBeVisible()
  await expectAccessible(page)

  await fields.getByRole('button', { name: 'Edit City' }).click()
  const id = page.url().split('/').at(-1)?.split('?')[0] ?? ''
  await api.put(`/contact-service/v1/offers/${id}`, { changes: { City: { from: 'Bern', to: 'Rome' } } })
  trouble.expect(`409 PUT /api/contact-service/v1/offers/${id}`)
  await fields.getByLabel('City', { exact: true }).fill('Oslo')
  await page.keyboard.press('Enter')
  await expect(fields.getByRole('alert')).toContainText(`The value was changed to “Rome” by ${ines.email}`)
  await fields.getByRole('button', { name: 'Save mine' }).click()
  await expect(region('Changes').getByText(': Rome → Oslo')).toBeVisible()
  await region('Changes')
    .getByRole('button', { name: /^Undo the change of City/ })
    .first()
    .click()
  await expect(snackbar(page, 'The change was undone.')).toBeVisible()
  await expect.poll(() => detailsOf(fields)).toMatchObject({ City: 'Rome' })
})

test('values are edited in the table by double click and by keyboard, with a conflict reported', async ({
  page,
  trouble,
}) => {
  await signIn(page, ines)
  await openScreen(page, 'Search & Analyze')
  const row = page.getByRole('row', { name: /person\.2@example\.com/ })
  const value = (text: string) => row.getByRole('button', { name: text, exact: true })
  await row.getByRole('cell', { name: 'Zürich' }).dblclick()
  const city = page.getByLabel('City', { exact: true })
  await expect(city).toBeFocused()
  await expectAccessible(page)
  await city.fill('Bern')
  await page.keyboard.press('Enter')
  await expect(value('Bern')).toBeFocused()

  await page.keyboard.press('ArrowRight')
  await expect(value('-81.5')).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Score', { exact: true })).toBeFocused()
  await page.keyboard.type('1')
  await page.keyboard.press('Escape')
  await expect(value('-81.5')).toBeFocused()

  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await expect(city).toBeFocused()
  const find = encodeURIComponent('[{"$match":{"City":"Bern"}}]')
  const [{ _id }] = await api.get<[{ _id: string }]>(`/contact-service/v1/offers?find=${find}`)
  await api.put(`/contact-service/v1/offers/${_id}`, { changes: { City: { from: 'Bern', to: 'Rome' } } })
  trouble.expect(`409 PUT /api/contact-service/v1/offers/${_id}`)
  await city.fill('Oslo')
  await page.keyboard.press('Enter')
  const told = page.getByRole('alert').filter({ hasText: `The value was changed to “Rome” by ${ines.email}` })
  await told.getByRole('button', { name: 'Save mine' }).click()
  await expect(value('Oslo')).toBeFocused()
  await expect(row.getByRole('button', { name: /^Expand/ })).toBeVisible()
})
