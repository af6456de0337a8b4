import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import { expect, makeAccount, makePerson, openScreen, type Person, signIn, test } from '../portal.ts'
import { detailsOf, dialogOf, rowOf, snackbar } from '../screens.ts'

let rosa: Person

test.beforeAll(async () => {
  const account = await makeAccount('Rivulet Boats')
  rosa = await makePerson('Roxana', { accounts: [account] })
  const api = await apiOf(rosa, account)
  await api.importFile('First leads', csvFile(contacts(20)), {})
  await api.makeExport('All leads', ['Email'])
})

test('an export of contacts that a filter finds, zipped, from the dialog to the file', async ({ page }) => {
  await signIn(page, rosa)
  await openScreen(page, 'Exports')
  await page.getByRole('button', { name: 'NEW EXPORT' }).click()
  const dialog = dialogOf(page, 'New Export')
  await expect(dialog.getByText('20 records')).toBeVisible()
  await expect(dialog.getByRole('textbox', { name: 'PGP Public Key' })).toBeDisabled()
  await dialog.getByRole('textbox', { name: 'Export Name' }).fill('Nobody special')
  await dialog.getByRole('switch', { name: 'Zip' }).check()
  await dialog.getByRole('button', { name: 'Edit filter' }).click()
  const filter = dialogOf(page, 'Filter')
  await expect(filter.getByRole('tab')).toHaveText(['Standard', 'Behavioral', 'By Location', 'Full Text', 'Predefined'])
  await filter.getByRole('tab', { name: 'Full Text' }).click()
  await filter.getByRole('textbox').first().fill('Lisbon')
  await filter.getByRole('button', { name: 'Apply' }).click()
  await expect(filter).toBeHidden()
  await expect(dialog.getByRole('region', { name: 'Filter' })).toContainText('with the words “Lisbon”')
  await expect(dialog.getByText(/^3 records$/)).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(snackbar(page, "'Nobody special' was submitted.")).toBeVisible()
  await expect(rowOf(page, 'Nobody special').getByText('completed')).toBeVisible({ timeout: 60_000 })
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download Nobody special' }).click()
  expect((await download).suggestedFilename()).toMatch(/\.zip$/)
  await page.getByRole('button', { name: 'Expand Nobody special' }).click()
  expect(await detailsOf(page)).toMatchObject({ Zip: 'Yes', 'Total Records': '3' })
})

test('what schedules says why it does not work yet', async ({ page }) => {
  await signIn(page, rosa)
  await openScreen(page, 'Exports')
  const button = page.getByRole('button', { name: 'Manage Schedules' })
  await button.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Scheduling is not available yet.')).toBeVisible()
})
