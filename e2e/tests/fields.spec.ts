import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, dialogOf, expectNoSideScroll, rowOf, snackbar } from '../screens.ts'

let account: Account
let nadia: Person

const file = 'Email,Zip,Donor Since,Given\na@x,60614,2008,1250.5\nb@x,10001,2011,99000\nc@x,60614,1999,50\n'
const place = '/contact-service/fields'

test.beforeEach(async () => {
  account = await makeAccount('Fieldstone Trust')
  nadia = await makePerson('Nadia', { accounts: [account] })
  const api = await apiOf(nadia, account)
  await api.importFile('Donors', file, { typeCasting: true })
  await api.post('/contact-service/v1/rdls', { name: 'Chicago', aggregateQuery: '[{"$match":{"Zip":60614}}]' })
})

test('a field is looked at, renamed and formatted by the keyboard, and its contacts are shown so', async ({ page }) => {
  await signIn(page, nadia, undefined, place)
  await expect(rowOf(page, 'Zip')).toContainText('plain')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Expand Zip' }).press('Enter')
  await expect(page.getByText('3 of 3 contacts')).toBeVisible()
  await expect(page.getByText('60614 (2), 10001 (1)')).toBeVisible()
  await expect(page.getByText('Chicago')).toBeVisible()

  await page.getByRole('button', { name: 'Edit Given' }).press('Enter')
  const dialog = dialogOf(page, 'Edit Given')
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type('Amount')
  await choose(page, dialog.getByRole('combobox', { name: 'Format' }), 'Currency ($1,234)')
  await expect(dialog.getByText('1234.5 is shown as $1,234.50')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await expect(snackbar(page, "'Given' is now 'Amount'.")).toBeVisible()
  await expect(rowOf(page, 'Amount')).toContainText('currency (USD)')
  await page.setViewportSize({ width: 390, height: 800 })
  await expectNoSideScroll(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  await page.getByRole('link', { name: 'Search & Analyze' }).first().click()
  await expect(page.getByRole('columnheader', { name: 'Amount' })).toBeVisible()
  for (const text of ['60614', '2008', '$1,250.50', '$99,000']) {
    await expect(page.getByRole('cell', { name: text, exact: true }).first()).toBeVisible()
  }
})

test('the type of a field is changed after a look at what converts, and changed back', async ({ page }) => {
  const api = await apiOf(nadia, account)
  await api.importFile('Notes', 'Email,Score\nd@x,007\ne@x,2.10\nf@x,n/a\n')
  await signIn(page, nadia, undefined, place)
  await page.getByRole('button', { name: 'Change the type of Score' }).press('Enter')
  const dialog = dialogOf(page, 'Change the type of Score')
  await choose(page, dialog.getByRole('combobox', { name: 'New Type' }), 'Number')
  await expect(dialog.getByText('2 of 3 values convert.')).toBeVisible()
  await expect(dialog.getByText('007 → 7')).toBeVisible()
  await expect(dialog.getByRole('cell', { name: 'n/a' })).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 800 })
  await expectNoSideScroll(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await dialog.getByRole('button', { name: 'Change Type' }).press('Enter')
  await expect(snackbar(page, "The type of 'Score' is being changed to Number.")).toBeVisible()
  await expect(rowOf(page, 'Score').getByRole('cell', { name: 'Number', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Expand Score' }).press('Enter')
  await expect(page.getByText('Texts Kept as Written')).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Change the type of Score' }).press('Enter')
  await choose(page, dialog.getByRole('combobox', { name: 'New Type' }), 'Text')
  await expect(dialog.getByText('3 of 3 values convert.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Change Type' }).press('Enter')
  await expect(rowOf(page, 'Score').getByRole('cell', { name: 'Text', exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'Search & Analyze' }).first().click()
  for (const text of ['007', '2.10', 'n/a']) {
    await expect(page.getByRole('cell', { name: text, exact: true }).first()).toBeVisible()
  }
})
