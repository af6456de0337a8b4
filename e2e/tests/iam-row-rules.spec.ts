import { apiOf } from '../api.ts'
import { expectPresentable } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { dialogOf } from '../screens.ts'

let account: Account
let rosa: Person
let remo: Person

test.beforeAll(async () => {
  account = await makeAccount('Rosewood Rooms')
  rosa = await makePerson('Rosa', { accounts: [account] })
  remo = await makePerson('Remo', { accounts: [account] })
  const api = await apiOf(rosa, account)
  await api.importFile('Guests', 'Name,City\nAda,Denver\nBruno,Denver\nCarmen,Boulder\n')
})

test('an identity sees only the contacts selected for it with the filter builder', async ({ page }) => {
  const api = await apiOf(remo, account)
  await signIn(page, rosa, undefined, `/iam/identities?search=${remo.email}`)
  await page.getByRole('button', { name: `Edit ${remo.email}` }).click()
  const form = dialogOf(page, 'Edit Identity')
  await expect(form.getByText('All contacts', { exact: true })).toBeVisible()
  await form.getByRole('button', { name: 'Choose contacts' }).click()

  const builder = dialogOf(page, 'Contacts this identity may see')
  await builder.getByRole('button', { name: 'Add condition' }).click()
  await builder.getByRole('combobox', { name: 'Field of condition 1' }).fill('City')
  await page.getByRole('option', { name: 'City', exact: true }).click()
  await builder.getByRole('textbox', { name: 'Value of condition 1' }).fill('Denver')
  await expect(builder.getByText('Contacts whose City is “Denver”.')).toBeVisible()
  await expectPresentable(page)
  await builder.getByRole('button', { name: 'Apply' }).click()
  await expect(form.getByText('Contacts whose City is “Denver”.')).toBeVisible()
  await expectPresentable(page)
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form).toBeHidden()
  expect(await api.get('/contact-service/v1/offers?count=')).toEqual({ count: 2 })

  await page.getByRole('button', { name: `Expand ${remo.email}` }).click()
  await expect(page.getByText('Contacts whose City is “Denver”.')).toBeVisible()
  await page.getByRole('button', { name: `Edit ${remo.email}` }).click()
  await form.getByRole('button', { name: 'All contacts' }).click()
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(form).toBeHidden()
  expect(await api.get('/contact-service/v1/offers?count=')).toEqual({ count: 3 })
})
