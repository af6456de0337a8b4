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

test('a field is opened, renamed, formatted, deleted and restored by keyboard, and contacts show the changes', async ({
  page,
}) => {
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

  await page.getByRole('button', { name: 'Delete Email' }).press('Enter')
  const question = dialogOf(page, 'Delete Email')
  await expect(question.getByLabel('Name')).toBeFocused()
  await page.keyboard.type('Email')
  await page.keyboard.press('Enter')
  await expect(snackbar(page, "'Email' was deleted.")).toBeVisible()
  await page.getByRole('button', { name: 'Restore Email' }).press('Enter')
  await expect(page.getByRole('button', { name: 'Delete Email' })).toBeVisible()
  await page.setViewportSize({ width: 390, height: 800 })
  await expectNoSideScroll(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  await page.getByRole('link', { name: 'Search & Analyze' }).first().click()
  await expect(page.getByRole('columnheader', { name: 'Amount' })).toBeVisible()
  for (const text of ['60614', '2008', '$1,250.50', '$99,000']) {
    await expect(page.getByRole('cell', { name: text, exact: true }).first()).toBeVisible()
  }
})
