import { readFile } from 'node:fs/promises'
import type { Field } from '@portico/contract/contacts'
import type { Import } from '@portico/contract/imports'
import { apiOf } from '../api.ts'
import { columns, type Contact, contacts, csvLine, csvRow, exportedText, purlsOf } from '../contact-file.ts'
import { recordEvents } from '../database.ts'
import { type Account, expect, makeAccount, makePerson, openScreen, type Person, signIn, test } from '../portal.ts'
import {
  choose,
  chooseColumns,
  chooseFile,
  columnOf,
  detailsOf,
  dialogOf,
  openNewImport,
  openStep,
  rowOf,
  snackbar,
} from '../screens.ts'

/** The people of the file, in its order. */
const people = contacts(3000)
/** Rows that repeat some of the people by email, with another city and no note. */
const repeated = people
  .filter((_, index) => index % 30 === 7)
  .map((person) => ({ ...person, Email: person.Email.toUpperCase(), City: 'Reykjavík', Note: '' }))
const misshapen = ['Too,Few\n', csvLine([...columns, 'one too many'])]
const file = csvLine(columns) + misshapen.join('') + people.map(csvRow).join('') + repeated.map(csvRow).join('')

/** The expected contacts; one imported again keeps its values. */
const known: Contact[] = people.map((person) => {
  const again = repeated.find(({ Email }) => Email === person.Email.toUpperCase())
  return again ? { ...again, Note: person.Note } : person
})
const purls = purlsOf(known)

let marina: Account
let erik: Person

// From the file to the export: each test continues from the one before.
test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  marina = await makeAccount('Marina Outfitters')
  erik = await makePerson('Erik', { accounts: [marina] })
})

test('a file is imported with type detection, dedup and PURLs', async ({ page }) => {
  await signIn(page, erik)
  const dialog = await openNewImport(page)
  await chooseFile(page, dialog, 'spring.csv', file)
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Spring leads')
  await openStep(dialog, 'Options')
  await dialog.getByRole('switch', { name: 'Cast Types' }).check()
  await choose(page, dialog.getByRole('combobox', { name: 'Batch Size' }), '25 thousand')
  await chooseColumns(dialog, 'PURL Columns', ['First Name', 'Last Name'])
  await chooseColumns(dialog, 'Dedup Columns', ['Email'])
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(snackbar(page, "'Spring leads' was saved.")).toBeVisible()
  await expect(dialog).toBeHidden()

  const row = rowOf(page, 'Spring leads')
  await expect(row).toContainText(/waiting|processing|completed/)
  await expect(row.getByText('completed')).toHaveCount(2, { timeout: 60_000 })
  await expect(row).toContainText('3,100')
  await row.getByText('3,100').first().hover()
  await expect(page.getByRole('tooltip')).toContainText(/Processing time.*Speed.*records\/hour/)

  await page.getByRole('button', { name: 'Expand Spring leads' }).click()
  await expect
    .poll(() => detailsOf(page))
    .toMatchObject({
      Created: '3,000',
      Updated: '100',
      Unchanged: '0',
      'Recovery Count': '0',
      'Recovery Error': '–',
      'Generate PURL': 'Yes',
      'Same PURL for Same Contact': 'No',
      'PURL Generation Scope': 'Account Level',
      'PURL Columns': 'First Name, Last Name',
      'Dedup Columns': 'Email',
      'Auto Export': 'No',
      'Cast Types': 'Yes',
      'Batch Size': '25 thousand',
      'File Delimiter': 'Comma',
      'File Path': expect.stringMatching(/^spring\.csv \(\d+(\.\d)? kB\)$/),
      'Created By': erik.email,
      'Header (8)': columns.join('\n'),
    })
})

test('the rows set aside can be downloaded with their reasons', async ({ page }) => {
  await signIn(page, erik)
  await page.getByRole('button', { name: 'Expand Spring leads' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download report' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('Spring leads - rows set aside.csv')
  const report = await readFile(await download.path(), 'utf8')
  expect(report.replace('\uFEFF', '').trimEnd().split('\r\n')).toEqual([
    ['Set-Aside Line', 'Set-Aside Reason', ...columns].join(','),
    '2,"Expected 8 cells, found 2.",Too,Few',
    `3,"Expected 8 cells, found 9.",${columns.join(',')},one too many`,
  ])
  await page.getByRole('button', { name: 'Actions for Spring leads' }).click()
  await expect(page.getByRole('menuitem', { name: 'Download rows set aside' })).toBeVisible()
  await expect(page.getByRole('menuitem', { name: 'Cancel import' })).toHaveCount(0)
})

test('contacts are paged, sorted, searched and opened', async ({ page }) => {
  await signIn(page, erik)
  await openScreen(page, 'Search & Analyze')
  await expect(page.getByText('3,000 contacts', { exact: true })).toBeVisible()
  const table = page.getByRole('table')
  await expect(table.getByRole('columnheader')).toHaveText(['', 'Details', ...columns.slice(0, 7)])
  const emails = (from: number, to: number): string[] => known.slice(from, to).map(({ Email }) => Email)
  await expect.poll(() => columnOf(table, 'Email')).toEqual(emails(0, 5))
  await page.getByRole('button', { name: 'Page 2', exact: true }).click()
  await expect.poll(() => columnOf(table, 'Email')).toEqual(emails(5, 10))
  await expect(page.getByText('6–10 of 3,000')).toBeVisible()
  await page.getByLabel('Records per page').selectOption('20')
  await expect.poll(() => columnOf(table, 'Email')).toEqual(emails(0, 20))
  await page.getByRole('button', { name: 'Page 150', exact: true }).click()
  await expect.poll(() => columnOf(table, 'Email')).toEqual(emails(2980, 3000))

  const byScore = known.map(({ Score }) => Number(Score)).toSorted((a, b) => a - b)
  const sortByScore = page.getByRole('columnheader', { name: 'Score' }).getByRole('button')
  await sortByScore.click()
  await expect.poll(() => columnOf(table, 'Score')).toEqual(byScore.slice(0, 20).map(String))
  await expect(page.getByRole('columnheader', { name: 'Score' })).toHaveAttribute('aria-sort', 'ascending')
  await sortByScore.click()
  await expect.poll(() => columnOf(table, 'Score')).toEqual(byScore.slice(-20).toReversed().map(String))
  // The URL keeps the order.
  await page.reload()
  await expect.poll(() => columnOf(table, 'Score')).toEqual(byScore.slice(-20).toReversed().map(String))
  await sortByScore.click()

  // A contact that was imported again; no other text begins with this number.
  await page.getByLabel('Search contacts').fill('PERSON 1208')
  await expect(page.getByText('1 contact found', { exact: true })).toBeVisible()
  const [found] = known.slice(1207)
  await expect.poll(() => columnOf(table, 'City')).toEqual(['Reykjavík'])
  await page.getByRole('button', { name: `Expand ${found?.['First Name']} ${found?.['Last Name']}` }).click()
  await expect
    .poll(() => detailsOf(page))
    .toMatchObject({
      Email: 'PERSON.1208@EXAMPLE.COM',
      City: 'Reykjavík',
      Score: found?.Score,
      Member: 'False',
      // The day of the file, for users in any time zone.
      Since: '4/22/2018',
      Note: found?.Note,
      purl: purls[1207],
    })
})

test('the events of a contact are shown', async ({ page }) => {
  const api = await apiOf(erik, marina)
  const [latest] = await api.get<Import[]>('/contact-service/v1/imports?limit=1')
  const [first] = await api.get<{ _id: string }[]>('/contact-service/v1/offers?limit=1')
  const visits = Array.from({ length: 12 }, (_, index) => ({
    code: `visit ${index + 1}`,
    date: `2026-03-${10 + index}T15:30:00Z`,
  }))
  const events = [...visits, { code: 'click', date: '2026-04-01T12:00:00Z', path: '/spring', browser: 'Firefox' }]
  await recordEvents(latest?.databaseName ?? '', first?._id ?? '', events)

  await signIn(page, erik)
  await openScreen(page, 'Search & Analyze')
  await page.getByRole('button', { name: 'Expand Ada Abbott' }).click()
  await page.getByRole('button', { name: 'Events (13)' }).click()
  const dialog = dialogOf(page, 'Events')
  await expect.poll(() => columnOf(dialog.getByRole('table'), 'Event')).toHaveLength(10)
  await expect(rowOf(page, 'click')).toContainText('4/1/2026 12:00:00 PM')
  await dialog.getByRole('button', { name: 'Expand event 1', exact: true }).click()
  await expect.poll(() => detailsOf(dialog)).toMatchObject({ event_path: '/spring', browser: 'Firefox' })
  await dialog.getByRole('button', { name: 'Next page' }).click()
  await expect.poll(() => columnOf(dialog.getByRole('table'), 'Event')).toEqual(['visit 3', 'visit 2', 'visit 1'])
  await dialog.getByRole('button', { name: 'Expand event 11' }).click()
  await expect(dialog.getByText('No details are available')).toBeVisible()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await expect(dialog).toBeHidden()
})

test('an export with a condition contains exactly the imported contacts', async ({ page }) => {
  // Fields with an index can be filtered by.
  const api = await apiOf(erik, marina)
  for (const field of ['Score', 'Member']) await api.post('/contact-service/v1/indexes', { key: [[field, 1]] })
  await api.until<Field[]>('/contact-service/v1/fields', (all) => all.filter(({ isIndexed }) => isIndexed).length === 2)
  await signIn(page, erik)
  await openScreen(page, 'Exports')
  await expect(page.getByText('No exports are available.')).toBeVisible()
  await page.getByRole('button', { name: 'NEW EXPORT' }).click()
  const dialog = dialogOf(page, 'New Export')
  await expect(dialog.getByText('3,000 records')).toBeVisible()
  const name = dialog.getByRole('textbox', { name: 'Export Name' })
  await name.fill('best')
  await expect(name).toHaveAccessibleDescription('Name should have more than 5 charecters')
  await name.fill('Best members')

  const fields = dialog.getByRole('combobox', { name: /^Fields to export/ })
  await expect(dialog.getByText('7/23')).toBeVisible()
  for (const field of ['Note', 'purl']) {
    await fields.fill(field)
    await page.getByRole('option', { name: field, exact: true }).click()
  }
  await dialog.getByRole('heading', { name: 'New Export' }).click()
  await dialog.getByRole('button', { name: 'Edit filter' }).click()
  const filter = dialogOf(page, 'Filter')
  const add = filter.getByRole('button', { name: 'Add condition' })
  await add.click()
  await choose(page, filter.getByRole('combobox', { name: 'Field of condition 1' }), 'Score')
  await choose(page, filter.getByRole('combobox', { name: 'Operator of condition 1' }), '>=')
  const value = filter.getByRole('textbox', { name: 'Value of condition 1' })
  await value.fill('512.5')
  await add.click()
  await choose(page, filter.getByRole('combobox', { name: 'Field of condition 2' }), 'Member')
  await choose(page, filter.getByRole('combobox', { name: 'Value of condition 2' }), 'True')
  await filter.getByRole('button', { name: 'Apply', exact: true }).click()
  const wanted = known.filter(({ Score, Member }) => Number(Score) >= 512.5 && Member === 'true')
  await expect(dialog.getByText(`${wanted.length} records`, { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(snackbar(page, "'Best members' was submitted.")).toBeVisible()

  const row = rowOf(page, 'Best members')
  await expect(row.getByText('completed')).toBeVisible({ timeout: 60_000 })
  await expect(row).toContainText(String(wanted.length))
  await page.getByRole('button', { name: 'Expand Best members' }).click()
  await expect
    .poll(() => detailsOf(page))
    .toMatchObject({
      Delimiter: 'Comma (.csv)',
      'Total Records': String(wanted.length),
      'Filter Query': 'Contacts whose Score is at least 512.5 and Member is true.',
      'Fields (9)': [...columns, 'purl'].join('\n'),
    })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    row.getByRole('button', { name: 'Download Best members' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('Best members.csv')
  const content = await exportedText(await download.path())
  expect(content.split('\n')).toEqual([csvLine([...columns, 'purl']), ...wanted.map(exportedLine)].join('').split('\n'))
})

function exportedLine(contact: Contact): string {
  const values = Object.values(contact)
  return csvLine([...values, purls[known.indexOf(contact)] ?? ''])
}

test('importing the same file again creates no contacts, and Auto Export exports its contacts', async ({ page }) => {
  await signIn(page, erik)
  const dialog = await openNewImport(page)
  await chooseFile(page, dialog, 'spring.csv', file)
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Spring leads again')
  await openStep(dialog, 'Options')
  await dialog.getByRole('switch', { name: 'Auto Export' }).check()
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(rowOf(page, 'Spring leads again').getByText('completed')).toHaveCount(2, { timeout: 60_000 })
  await page.getByRole('button', { name: 'Expand Spring leads again' }).click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ Created: '0' })
  await openScreen(page, 'Search & Analyze')
  await expect(page.getByText('3,000 contacts', { exact: true })).toBeVisible()
  await openScreen(page, 'Exports')
  await expect(page.getByText('2 exports', { exact: true })).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'Spring leads again' }).getByText('completed')).toBeVisible()
})
