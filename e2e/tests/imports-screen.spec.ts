import { readFile, writeFile } from 'node:fs/promises'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, chooseFile, detailsOf, openNewImport, openStep, rowOf, snackbar } from '../screens.ts'

let account: Account
let petra: Person

test.beforeAll(async () => {
  account = await makeAccount('Quarry Tools')
  petra = await makePerson('Petra', { accounts: [account] })
  const api = await apiOf(petra, account)
  await api.importFile('First leads', csvFile(contacts(3)), { typeCasting: true })
})

const leads = [
  'Given Name,e-mail,Score,Secret,Region,Paid',
  'Ada,ada@example.com,high,x,North,"$2,490.18"',
  'Bob,bob@example.com,3,y,South,$50',
]

test('the preview of a file suggests, renames and skips columns', async ({ page }) => {
  await signIn(page, petra)
  const dialog = await openNewImport(page)
  await chooseFile(page, dialog, 'leads.csv', `${leads.join('\n')}\n`)
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Mapped leads')
  await openStep(dialog, 'Match')
  const table = dialog.getByRole('table', { name: 'File columns' })
  await expect(rowOf(page, 'Given Name Ada, Bob')).toContainText('New field')
  const score = rowOf(page, 'Score high, 3')
  await expect(score).toContainText('1 cell does not fit: high')
  await expect(score).toContainText('Existing field, number')
  await score.getByRole('combobox', { name: 'Cells that do not fit Score' }).selectOption('Make the field text')
  await expect(score).toContainText('from number to text')
  await score.getByRole('combobox', { name: 'Cells that do not fit Score' }).selectOption('Leave these cells out')
  const paid = rowOf(page, 'Paid $2,490.18, $50')
  await expect(paid.getByRole('combobox', { name: 'Type of Paid' })).toHaveValue('number')
  await expect(paid).toContainText('$2,490.18 → 2490.18')
  await dialog.getByRole('button', { name: 'Use all suggestions' }).click()
  await expect(table.getByRole('combobox', { name: 'Import Given Name as' })).toHaveValue('First Name')
  await expect(table.getByRole('combobox', { name: 'Import e-mail as' })).toHaveValue('Email')
  await table.getByRole('checkbox', { name: 'Skip Secret' }).check()
  await expect(table.getByRole('combobox', { name: 'Import Secret as' })).toBeDisabled()
  const region = table.getByRole('combobox', { name: 'Import Region as' })
  await region.fill('Email')
  await expect(region).toHaveAccessibleDescription('Value is duplicate!')
  await region.fill('Sales Region')
  await expect(dialog.getByText('Fields: 2 new, 3 existing, 1 left out.')).toBeVisible()
  await expectAccessible(page)

  await dialog.getByText('First rows (2)').click()
  await expect(dialog.getByRole('region', { name: 'First rows of the file' })).toContainText('ada@example.com')
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(snackbar(page, "'Mapped leads' was saved.")).toBeVisible()
  await expect(rowOf(page, 'Mapped leads').getByText('completed').first()).toBeVisible({ timeout: 60_000 })
  await expect(rowOf(page, 'Mapped leads')).toContainText('1 cell set aside')
  await page.getByRole('button', { name: 'Expand Mapped leads' }).click()
  const details = await detailsOf(page)
  expect(details['Column Mapping']).toContain('Secret → left out')
  expect(details['Column Types']).toContain('Paid: number')
  expect(details).toMatchObject({ 'Rows Set Aside': '0', 'Cells Set Aside': '1', Report: 'Download report' })
})

test('the preview of a file that cannot be imported shows the reason and a fix', async ({ page }) => {
  await signIn(page, petra)
  const dialog = await openNewImport(page)
  await chooseFile(page, dialog, 'leads.csv', 'A|B\n1|2\n')
  await expect(dialog.getByRole('combobox', { name: 'File Delimiter' })).toHaveValue('Pipe')
  await choose(page, dialog.getByRole('combobox', { name: 'File Delimiter' }), 'Comma')
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Piped leads')
  await openStep(dialog, 'Match')
  await expect(dialog.getByRole('alert')).toContainText('Choose pipe as file delimiter.')
  await dialog.getByRole('button', { name: 'Use Pipe' }).last().click()
  await expect(dialog.getByRole('table', { name: 'File columns' })).toBeVisible()
})

test('rows set aside are downloaded, corrected and imported again', async ({ page }) => {
  await signIn(page, petra)
  const api = await apiOf(petra, account)
  await api.importFile('Broken leads', 'Email,City\nx@example.com,Oslo\ny@example.com\n', {})
  await page.reload()
  await page.getByRole('button', { name: 'Expand Broken leads' }).click()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download report' }).click()
  const path = test.info().outputPath('report.csv')
  await (await download).saveAs(path)
  const report = await readFile(path, 'utf8')
  expect(report).toContain('3,"Expected 2 cells, found 1.",y@example.com')
  await writeFile(path, report.replace('y@example.com', 'y@example.com,Bergen'))
  const corrected = await readFile(path, 'utf8')
  const dialog = await openNewImport(page)
  await chooseFile(page, dialog, 'corrected.csv', corrected)
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Corrected leads')
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(rowOf(page, 'Corrected leads').getByText('completed').first()).toBeVisible({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Expand Corrected leads' }).click()
  expect(await detailsOf(page)).toMatchObject({ Created: '1', 'Rows Set Aside': '0' })
})

test('imports by others appear in the list automatically', async ({ page }) => {
  await signIn(page, petra)
  await expect(rowOf(page, 'First leads').or(rowOf(page, 'Mapped leads')).first()).toBeVisible()
  const api = await apiOf(petra, account)
  await api.submitImport('Leads of a colleague', csvFile(contacts(5)), {})
  await expect(rowOf(page, 'Leads of a colleague').getByText('completed').first()).toBeVisible({ timeout: 30_000 })
})
