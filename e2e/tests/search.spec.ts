import type { Page } from '@playwright/test'
import { expectAccessibleInBothSchemes } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { columns, contacts, csvFile, csvLine, exportedText } from '../contact-file.ts'
import { watchShifts } from '../first-load.ts'
import { type Account, expect, makeAccount, makePerson, openScreen, type Person, signIn, test } from '../portal.ts'
import { choose, columnOf, detailsOf, dialogOf, expectNoSideScroll, rowOf, snackbar } from '../screens.ts'

const people = contacts(210)
const inOslo = people.filter(({ City }) => City === 'Oslo')

let account: Account
let vera: Person
/** Can only read. */
let guest: Person

test.beforeAll(async () => {
  account = await makeAccount('Quartz Records')
  vera = await makePerson('Vera', { accounts: [account] })
  guest = await makePerson('Gus', { accounts: [account], mayNothing: true })
  const api = await apiOf(vera, account)
  await api.importFile('Spring leads', csvFile(people))
})

/** Returns the URL of a search. */
const searchAt = (stages: unknown): string =>
  `/contact-service/documents?filter=${encodeURIComponent(JSON.stringify(stages))}`

const oslo = [{ $match: { $and: [{ City: 'Oslo' }] } }]
const byCity = [
  { $group: { _id: { City: '$City', Member: '$Member' }, count: { $count: {} } } },
  { $sort: { City: 1, Member: 1 } },
  { $limit: 50 },
]

const table = (page: Page) => page.getByRole('region', { name: /^(Contacts|Groups)$/ }).getByRole('table')

test('a search with the builder finds and counts contacts, and is kept in the address', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, vera)
  await openScreen(page, 'Search & Analyze')
  const filters = page.getByRole('button', { name: /^FILTERS/ })
  await expect(filters).toHaveAttribute('aria-expanded', 'false')
  await filters.click()
  await page.getByRole('button', { name: 'Add condition' }).click()
  await choose(page, page.getByRole('combobox', { name: 'Field of condition 1' }), 'City')
  const value = page.getByRole('textbox', { name: 'Value of condition 1' })
  await value.fill('Oslo')
  // The field has no index, which is fine.
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await expect(page.getByText(`${inOslo.length} contacts found`)).toBeVisible()
  await expect.poll(() => columnOf(table(page), 'Email')).toEqual(inOslo.slice(0, 5).map(({ Email }) => Email))
  expect(new URL(page.url()).searchParams.get('filter')).toBe(JSON.stringify(oslo))

  await page.getByRole('button', { name: 'Share' }).click()
  await expect(snackbar(page, 'The link to this search was copied.')).toBeVisible()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  await page.getByRole('button', { name: 'Page 2', exact: true }).click()
  await page.getByRole('button', { name: 'Show all contacts' }).click()
  await expect(page.getByText('210 contacts', { exact: true }).first()).toBeVisible()
  await page.goto(link)
  await expect(page.getByText('Contacts whose City is “Oslo”.')).toBeVisible()
  await expect(page.getByText(`1–5 of ${inOslo.length}`)).toBeVisible()
  // The panel is always closed at first.
  await expect(page.getByRole('button', { name: 'FILTERS (1)' })).toHaveAttribute('aria-expanded', 'false')
})

test('page sizes, no footer up to five rows, and full-text search', async ({ page }) => {
  await signIn(page, vera, undefined, '/contact-service/documents')
  const size = page.getByLabel('Records per page')
  await expect(size).toHaveValue('5')
  expect(await size.getByRole('option').allInnerTexts()).toEqual(['5', '10', '20', '50', '100'])
  await page.getByLabel('Search contacts').fill('zürich 205')
  // The terms match beginnings of words in the contact's texts: person.205@example.com.
  const found = people.filter(({ City, Email }) => City === 'Zürich' && Email.startsWith('person.205'))
  expect(found).toHaveLength(1)
  await expect(page.getByText('1 contact found', { exact: true })).toBeVisible()
  await expect(size).toBeHidden()
  await page.getByLabel('Search contacts').fill('nobody at all')
  await expect(page.getByText('No matching contacts found.')).toBeVisible()
  await page.getByRole('button', { name: 'Show all contacts' }).first().click()
  await expect(page.getByText('210 contacts', { exact: true })).toBeVisible()
})

test('a search is saved and listed among the predefined filters', async ({ page }) => {
  await signIn(page, vera, undefined, searchAt(oslo))
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const dialog = dialogOf(page, 'Save as a Predefined Filter')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Name' })).toHaveAccessibleDescription('Value is required!')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('People of Oslo')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(snackbar(page, "'People of Oslo' was saved.")).toBeVisible()
  await page.goto('/contact-service/documents')
  await page.getByRole('button', { name: 'FILTERS' }).click()
  await page.getByRole('tab', { name: 'Predefined' }).click()
  await choose(page, page.getByRole('combobox', { name: 'Predefined filter' }), 'People of Oslo')
  await page.getByRole('button', { name: 'Apply', exact: true }).click()
  await expect(page.getByText('Contacts of the saved filter “People of Oslo”.').first()).toBeVisible()
  await expect(page.getByText(`${inOslo.length} contacts found`)).toBeVisible()
})

test('groups have a chart and a table, and each group opens its contacts', async ({ page }) => {
  await signIn(page, vera, undefined, searchAt(byCity))
  const cities = [...new Set(people.map(({ City, Member }) => `${City}|${Member}`))]
  await expect(page.getByText(`${cities.length} groups`, { exact: true })).toBeVisible()
  const chart = page.getByRole('figure', { name: 'Column chart of count by City and Member' })
  await expect(chart.locator('svg').getByText('Kyoto')).toBeVisible()
  await page.getByLabel('Records per page').selectOption('20')
  await page.getByRole('columnheader', { name: 'count' }).getByRole('button').click()
  await page.getByRole('columnheader', { name: 'count' }).getByRole('button').click()
  const counts = cities.map((key) => people.filter(({ City, Member }) => `${City}|${Member}` === key).length)
  await expect.poll(() => columnOf(table(page), 'count')).toEqual(counts.toSorted((a, b) => b - a).map(String))
  const row = page.getByRole('row', { name: /^Oslo False/ })
  await row.getByRole('link', { name: 'Oslo' }).click()
  const wanted = inOslo.filter(({ Member }) => Member === 'false')
  await expect(page.getByText(`${wanted.length} contacts found`)).toBeVisible()
  await expect(page.getByText('Contacts whose City is “Oslo” and Member is false.')).toBeVisible()
  await page.goBack()
  await expect(chart).toBeVisible()
})

test('the group of a month opens the contacts of that month in any year', async ({ page }) => {
  const months = [
    { $group: { _id: { 'Since (month)': { $month: '$Since' } }, count: { $count: {} } } },
    { $sort: { 'Since (month)': 1 } },
    { $limit: 50 },
  ]
  await signIn(page, vera, undefined, searchAt(months))
  // Counted in the account's time zone, UTC.
  const inMarch = people.filter(({ Since }) => Since.includes('-03-'))
  await page.getByRole('link', { name: 'March' }).click()
  await expect(page.getByText(`${inMarch.length} contacts found`)).toBeVisible()
  await expect(page.getByText('All contacts, of those whose Since (month) is March.')).toBeVisible()
  await page
    .getByRole('button', { name: /^Expand/ })
    .first()
    .click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ Email: inMarch[0]?.Email })
})

test('selected columns are kept, and the results are exported as shown', async ({ page }) => {
  await signIn(page, vera, undefined, searchAt(oslo))
  await page.getByRole('button', { name: 'Columns', exact: true }).click()
  const dialog = dialogOf(page, 'Columns')
  await dialog.getByRole('button', { name: 'Clear' }).click()
  const chooser = dialog.getByRole('combobox', { name: /^Columns/ })
  for (const name of ['Email', 'Note', 'City']) {
    await chooser.fill(name)
    await page.getByRole('option', { name, exact: true }).click()
  }
  await dialog.getByRole('heading', { name: 'Columns' }).click()
  await dialog.getByRole('button', { name: 'Move City up' }).click()
  await dialog.getByRole('button', { name: 'Apply' }).click()
  const heads = page.getByRole('columnheader')
  await expect(heads).toHaveText(['', 'Details', 'Email', 'City', 'Note'])
  await page.reload()
  await expect(heads).toHaveText(['', 'Details', 'Email', 'City', 'Note'])

  await page.getByRole('button', { name: 'Export Results' }).click()
  const exporting = dialogOf(page, 'Export These Results')
  await expect(exporting.getByText(`${inOslo.length} records. Contacts whose City is “Oslo”.`)).toBeVisible()
  const name = exporting.getByRole('textbox', { name: 'Export Name' })
  await name.fill('Oslo')
  await expect(name).toHaveAccessibleDescription('Name should have more than 5 charecters')
  await name.fill('People of Oslo')
  await exporting.getByRole('button', { name: 'Submit' }).click()
  await expect(snackbar(page, "'People of Oslo' was submitted.")).toBeVisible()
  await openScreen(page, 'Exports')
  await expect(rowOf(page, 'People of Oslo').getByText('completed')).toBeVisible({ timeout: 60_000 })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download People of Oslo' }).click(),
  ])
  const lines = inOslo.map(({ Email, City, Note }) => csvLine([Email, City, Note]))
  expect(await exportedText(await download.path())).toBe([csvLine(['Email', 'City', 'Note']), ...lines].join(''))
})

test('an unknown field is reported', async ({ page, trouble }) => {
  trouble.expect('400 GET /api/contact-service/v1/offers')
  await signIn(page, vera, undefined, searchAt([{ $match: { Town: 'Oslo' } }]))
  await expect(page.getByText('Unexpected field in standard filter: "Town"').first()).toBeVisible()
  await expect(page.getByText('0 contacts found')).toBeVisible()
})

test('without the right to search a message is shown', async ({ page }) => {
  await signIn(page, guest, undefined, searchAt(oslo))
  await expect(page.getByRole('heading', { name: 'You may not open this' })).toBeVisible()
})

test('the search, its groups and its dialogs are accessible', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(page, vera, undefined, searchAt(oslo))
  await page.getByRole('button', { name: /^FILTERS/ }).click()
  await page
    .getByRole('button', { name: /^Expand/ })
    .first()
    .click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ City: 'Oslo' })
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'Delete Results' }).click()
  const dialog = page.getByRole('dialog')
  await expect(dialog).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await page.getByRole('button', { name: 'Columns', exact: true }).click()
  await expect(dialogOf(page, 'Columns').getByRole('list', { name: 'Order of the columns' })).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await page.goto(searchAt(byCity))
  await expect(page.getByRole('figure').locator('svg')).toBeVisible()
  await expectAccessibleInBothSchemes(page)
})

test('the search fits a narrow window', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn(page, vera, undefined, searchAt(byCity))
  await expect(page.getByRole('figure').locator('svg')).toBeVisible()
  await expectNoSideScroll(page)
  await page.getByRole('button', { name: /^FILTERS/ }).click()
  await expect(page.getByRole('tab', { name: 'Standard' })).toBeVisible()
  await expectNoSideScroll(page)
})

test('on a phone the results appear without layout shift', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const shift = await watchShifts(page)
  await signIn(page, vera)
  await page.goto('/contact-service/documents')
  await expect(page.getByText('210 contacts', { exact: true })).toBeVisible()
  expect(await columnOf(table(page), 'Email')).toHaveLength(5)
  expect(await shift()).toBeLessThan(0.01)
})

test('the first seven fields are the default columns', async ({ page }) => {
  await signIn(page, vera, undefined, '/contact-service/documents')
  await expect(page.getByRole('columnheader')).toHaveText(['', 'Details', ...columns.slice(0, 7)])
})
