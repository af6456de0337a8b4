import type { Locator, Page } from '@playwright/test'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import {
  choose,
  chooseColumns,
  chooseFile,
  dialogOf,
  expectNoSideScroll,
  openNewImport,
  openStep,
  stepButton,
} from '../screens.ts'

const locked = 'Cannot be changed anymore'

let fresh: Account
let settled: Account
let narrow: Account
let dora: Person

test.beforeAll(async () => {
  fresh = await makeAccount('Willow Press')
  settled = await makeAccount('Yarrow Seeds')
  narrow = await makeAccount('Zinnia Garden')
  dora = await makePerson('Dora', { accounts: [fresh, settled, narrow] })
  const purl = { generatePURL: true, purlColumns: ['First Name', 'Last Name'], dedupColumns: ['Email'] }
  const inSettled = await apiOf(dora, settled)
  await inSettled.importFile('Spring leads', csvFile(contacts(3)), {
    ...purl,
    dedupHashMatching: true,
    exportOnImportCompletion: true,
    processBatchSize: 50,
    typeCasting: false,
  })
  const inNarrow = await apiOf(dora, narrow)
  await inNarrow.importFile('Autumn leads', csvFile(contacts(3)), { ...purl, purlGenerationScope: 'import' })
})

/** Opens the dialog and completes its first steps. */
async function openOptions(page: Page): Promise<Locator> {
  const dialog = await openNewImport(page)
  await chooseFile(page, dialog, 'leads.csv', csvFile(contacts(2)))
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Leads of autumn')
  await openStep(dialog, 'Options')
  return dialog
}

test('the first import of an account starts with the general defaults, and nothing is locked', async ({ page }) => {
  await signIn(page, dora, fresh)
  await expect(page.getByText('No imports are available.')).toBeVisible()
  const dialog = await openNewImport(page)
  await expect(dialog.getByRole('textbox', { name: 'Import Name' })).toBeFocused()
  await expect(dialog.getByRole('combobox', { name: 'File Delimiter' })).toHaveValue('Comma')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await openOptions(page)
  const switches = {
    'Generate PURL': true,
    'Same PURL for the same contact': false,
    'Auto Export': false,
    'Cast Types': true,
  }
  for (const [name, checked] of Object.entries(switches)) {
    await expect(dialog.getByRole('switch', { name })).toBeChecked({ checked })
    await expect(dialog.getByRole('switch', { name })).toBeEnabled()
  }
  const selects = { 'Batch Size': '100 thousand', 'PURL Generation Scope': 'Account Level' }
  for (const [name, value] of Object.entries(selects)) {
    await expect(dialog.getByRole('combobox', { name })).toHaveValue(value)
  }
  await expect(dialog.getByText(locked)).toHaveCount(0)
  await expect(
    dialog.getByText('Generate PURL and Same PURL for the same contact cannot be changed after the 1st import is'),
  ).toBeVisible()
})

test('the columns for PURLs and dedup are required only if PURLs are generated', async ({ page }) => {
  await signIn(page, dora, fresh)
  const dialog = await openOptions(page)
  await expect(dialog.getByRole('tab')).toHaveText([
    'Main Info',
    'PURL Columns',
    'Dedup Columns',
    'Notification Emails',
    'SFTP',
    'PGP',
  ])
  const samePurl = dialog.getByRole('switch', { name: 'Same PURL for the same contact' })
  await samePurl.check()
  await dialog.getByRole('switch', { name: 'Generate PURL' }).uncheck()
  await expect(dialog.getByRole('tab')).toHaveText(['Main Info', 'Notification Emails', 'SFTP', 'PGP'])
  await expect(samePurl).toBeDisabled()
  await expect(samePurl).not.toBeChecked()
  await dialog.getByRole('switch', { name: 'Generate PURL' }).check()
  await expect(dialog.getByRole('tab')).toHaveCount(6)
  await expect(samePurl).toBeEnabled()
})

test('the name is validated while typing', async ({ page }) => {
  await signIn(page, dora, settled)
  const dialog = await openNewImport(page)
  const name = dialog.getByRole('textbox', { name: 'Import Name' })
  const wrong = {
    four: 'Name should have more than 5 charecters',
    '': 'Value is required!',
    ' SPRING leads ': 'Value is duplicate!',
  }
  for (const [value, message] of Object.entries(wrong)) {
    await name.fill(value)
    await expect(name).toHaveAccessibleDescription(message)
    await expect(name).toHaveAttribute('aria-invalid', 'true')
  }
  await name.fill('Spring leads of today')
  await expect(name).not.toHaveAttribute('aria-invalid', 'true')
  await name.fill('x'.repeat(120))
  await expect(name).toHaveValue('x'.repeat(100))
})

test('nothing is marked at first; a submission leads to what is missing', async ({ page }) => {
  await signIn(page, dora, fresh)
  const dialog = await openNewImport(page)
  await expect(dialog.getByText('(has errors)')).toHaveCount(0)
  await expect(dialog.locator('[aria-invalid="true"]')).toHaveCount(0)
  for (const step of ['Match', 'Options', 'Review'] as const) await expect(stepButton(dialog, step)).toBeDisabled()
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Import Name' })).toHaveAccessibleDescription('Value is required!')
  await expect(dialog.getByRole('button', { name: 'Choose a file' })).toHaveAccessibleDescription('Value is required!')
  await expect(dialog.getByRole('button', { name: 'Choose a file' })).toBeFocused()
  await expect(stepButton(dialog, 'File')).toHaveText('1File(has errors)')
  await chooseFile(page, dialog, 'leads.csv', csvFile(contacts(2)))
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Leads of autumn')
  await expect(stepButton(dialog, 'File')).toHaveText('1File')
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(stepButton(dialog, 'Options')).toHaveAttribute('aria-current', 'step')
  await expect(dialog.getByRole('tab')).toHaveText([
    'Main Info',
    'PURL Columns(has errors)',
    'Dedup Columns(has errors)',
    'Notification Emails',
    'SFTP',
    'PGP',
  ])
  const columns = dialog.getByRole('combobox', { name: 'PURL Columns' })
  await expect(columns).toBeFocused()
  await expect(columns).toHaveAccessibleDescription(/Value is required!/)
  await chooseColumns(dialog, 'PURL Columns', ['First Name', 'Last Name', 'City'])
  await expect(columns).not.toHaveAccessibleDescription(/Value is required!/)
  await expect(dialog.getByRole('tab', { name: 'PURL Columns' })).toHaveText('PURL Columns')
  await columns.fill('Email')
  await columns.press('Enter')
  await expect(dialog.getByText('3 of at most 3.')).toBeVisible()
  await chooseColumns(dialog, 'Dedup Columns', ['Email'])
  await expect(stepButton(dialog, 'Options')).toHaveText('3Options')
})

test('the steps work by keyboard, and those reached can be opened again', async ({ page }) => {
  await signIn(page, dora, settled)
  const dialog = await openNewImport(page)
  await chooseFile(page, dialog, 'leads.csv', csvFile(contacts(2)))
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Leads of autumn')
  for (const heading of ['Step 2 of 4: Match', 'Step 3 of 4: Options', 'Review of leads.csv']) {
    const next = dialog.getByRole('button', { name: 'Next' })
    if (heading.startsWith('Step 2')) await page.keyboard.press('Enter')
    else await next.press('Enter')
    await expect(dialog.getByRole('heading', { name: heading })).toBeFocused()
    await expectAccessible(page)
  }
  await expect(dialog.getByRole('button', { name: 'Submit' })).toBeVisible()
  await stepButton(dialog, 'Match').press('Enter')
  await expect(dialog.getByRole('heading', { name: 'Step 2 of 4: Match' })).toBeFocused()
  await dialog.getByRole('button', { name: 'Back' }).press('Enter')
  await expect(dialog.getByRole('textbox', { name: 'Import Name' })).toHaveValue('Leads of autumn')
  await page.keyboard.press('Escape')
  const question = dialogOf(page, 'Discard this import?')
  await expect(question.getByRole('button', { name: 'Keep editing' })).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(question).toBeHidden()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await question.getByRole('button', { name: 'Discard' }).click()
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', { name: 'NEW IMPORT' })).toBeFocused()
})

test('the columns of the chosen file are offered, and a missing one is reported', async ({ page }) => {
  await signIn(page, dora, fresh)
  const dialog = await openNewImport(page)
  await chooseFile(page, dialog, 'leads.csv', csvFile(contacts(2)).replaceAll('First Name', 'Given Name'))
  await expect(dialog.getByText(/8 columns: Given Name, Last Name, Email/)).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Leads of autumn')
  await openStep(dialog, 'Options')
  await dialog.getByRole('tab', { name: 'PURL Columns' }).click()
  await dialog.getByRole('combobox', { name: 'PURL Columns' }).click()
  await page.getByRole('option', { name: 'Given Name' }).click()
  await chooseColumns(dialog, 'PURL Columns', ['First Name'])
  await expect(dialog.getByText('The file has no column "First Name".')).toBeVisible()
  await openStep(dialog, 'File')
  await choose(page, dialog.getByRole('combobox', { name: 'File Delimiter' }), 'Pipe')
  await expect(dialog.getByText('The file looks comma-separated.')).toBeVisible()
  await dialog.getByRole('button', { name: 'Use Comma' }).click()
  await expect(dialog.getByRole('combobox', { name: 'File Delimiter' })).toHaveValue('Comma')
})

test('a file that cannot be imported is refused as soon as it is chosen', async ({ page }) => {
  await signIn(page, dora, fresh)
  const dialog = await openNewImport(page)
  const button = dialog.getByRole('button', { name: 'Choose a file' })
  const chosen = async (name: string, content: string): Promise<void> => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.click()])
    await chooser.setFiles({ name, mimeType: 'application/pdf', buffer: Buffer.from(content) })
  }
  await chosen('leads.pdf', 'not a table')
  await expect(button).toHaveAccessibleDescription('End the name with .csv, .txt, .zip, .gz, .xlsx or .xlsm.')
  await chosen('leads.csv', '')
  await expect(button).toHaveAccessibleDescription('The file is empty.')
})

test('the next import inherits from the last one, and what can no longer change is locked', async ({ page }) => {
  await signIn(page, dora, settled)
  const dialog = await openNewImport(page)
  await expect(dialog.getByRole('textbox', { name: 'Import Name' })).toHaveValue('')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await openOptions(page)
  for (const name of ['Generate PURL', 'Same PURL for the same contact']) {
    const settledSwitch = dialog.getByRole('switch', { name })
    await expect(settledSwitch).toBeChecked()
    await expect(settledSwitch).toBeDisabled()
    await expect(settledSwitch).toHaveAccessibleDescription(locked)
  }
  await expect(dialog.getByRole('switch', { name: 'Auto Export' })).toBeChecked()
  await expect(dialog.getByRole('switch', { name: 'Auto Export' })).toBeEnabled()
  await expect(dialog.getByRole('switch', { name: 'Cast Types' })).not.toBeChecked()
  await expect(dialog.getByRole('combobox', { name: 'Batch Size' })).toHaveValue('50 thousand')
  await expect(dialog.getByRole('combobox', { name: 'PURL Generation Scope' })).toBeEnabled()

  await dialog.getByRole('tab', { name: 'PURL Columns' }).click()
  const purl = dialog.getByRole('combobox', { name: 'PURL Columns' })
  await expect(purl).toBeDisabled()
  await expect(purl).toHaveAccessibleDescription(locked)
  await expect(dialog.getByRole('tabpanel', { name: 'PURL Columns' })).toContainText('First NameLast Name')
  await dialog.getByRole('tab', { name: 'Dedup Columns' }).click()
  await expect(dialog.getByRole('combobox', { name: 'Dedup Columns' })).toBeDisabled()

  // At import level any columns can be chosen; back at account level, the account's columns apply again.
  await dialog.getByRole('tab', { name: 'Main Info' }).click()
  const scope = dialog.getByRole('combobox', { name: 'PURL Generation Scope' })
  await choose(page, scope, 'Import Level')
  await dialog.getByRole('tab', { name: 'PURL Columns' }).click()
  await expect(purl).toBeEnabled()
  await purl.press('Backspace')
  await expect(dialog.getByRole('tabpanel', { name: 'PURL Columns' })).not.toContainText('Last Name')
  await dialog.getByRole('tab', { name: 'Main Info' }).click()
  await choose(page, scope, 'Account Level')
  await dialog.getByRole('tab', { name: 'PURL Columns' }).click()
  await expect(purl).toBeDisabled()
  await expect(dialog.getByRole('tabpanel', { name: 'PURL Columns' })).toContainText('First NameLast Name')
})

test('after an import with the import scope the scope is locked and the columns are free', async ({ page }) => {
  await signIn(page, dora, narrow)
  const dialog = await openOptions(page)
  const scope = dialog.getByRole('combobox', { name: 'PURL Generation Scope' })
  await expect(scope).toHaveValue('Import Level')
  await expect(scope).toBeDisabled()
  await expect(scope).toHaveAccessibleDescription(locked)
  await dialog.getByRole('tab', { name: 'PURL Columns' }).click()
  await expect(dialog.getByRole('combobox', { name: 'PURL Columns' })).toBeEnabled()
})

test('neither Escape nor a click outside closes the dialog, and Cancel discards the input', async ({ page }) => {
  await signIn(page, dora, fresh)
  const dialog = await openNewImport(page)
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 450)
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Half a name')
  await page.mouse.click(5, 450)
  await expect(dialog.getByRole('textbox', { name: 'Import Name' })).toHaveValue('Half a name')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  await openNewImport(page)
  await expect(dialog.getByRole('textbox', { name: 'Import Name' })).toHaveValue('')
  await dialog.getByRole('button', { name: 'Close' }).press('Enter')
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', { name: 'NEW IMPORT' })).toBeFocused()
})

test('on a phone the tabs are on one line; SFTP and PGP show why they are disabled', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn(page, dora, fresh)
  const dialog = await openOptions(page)
  const tabs = dialog.getByRole('tab')
  const tops = (await tabs.all()).map(async (tab) => (await tab.boundingBox())?.y)
  expect(new Set(await Promise.all(tops)).size).toBe(1)
  const emails = dialog.getByRole('tab', { name: 'Notification Emails' })
  await emails.click()
  await expect(emails).toBeInViewport({ ratio: 1 })
  // Moving tabs must not end up under the pointer.
  await page.mouse.move(195, 600)
  await emails.press('ArrowRight')
  const sftp = dialog.getByRole('tab', { name: 'SFTP' })
  await expect(sftp).toBeFocused()
  await expect(sftp).toBeInViewport({ ratio: 0.9 })
  await expect(page.getByRole('tooltip')).toHaveText('SFTP import is not available.')
  await expectAccessible(page)
  await sftp.press('ArrowRight')
  await expect(dialog.getByRole('tab', { name: 'PGP' })).toBeFocused()
  await expect(page.getByRole('tooltip', { name: 'Encrypted import is not available.' })).toBeVisible()
  await dialog.getByRole('tab', { name: 'PGP' }).click({ force: true })
  await expect(emails).toHaveAttribute('aria-selected', 'true')
  await expectNoSideScroll(page)
})
