import type { Locator, Page } from '@playwright/test'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile, csvLine, exportedText } from '../contact-file.ts'
import { expect, makeAccount, makePerson, openScreen, type Person, signIn, test } from '../portal.ts'
import { choose, detailsOf, dialogOf, rowOf, snackbar } from '../screens.ts'

let rosa: Person

const everybody = contacts(20)

test.beforeAll(async () => {
  const account = await makeAccount('Rivulet Boats')
  rosa = await makePerson('Roxana', { accounts: [account] })
  const api = await apiOf(rosa, account)
  await api.importFile('First leads', csvFile(everybody), {})
  await api.makeExport('All leads', ['Email'])
  const [lead] = await api.get<{ _id: string }[]>('/contact-service/v1/offers?limit=1')
  const event = { event_code: 'buy', event_date: '2026-05-06T07:08:09Z', price: 12.5, coupon: '=MAY' }
  await api.post(`/contact-service/v1/offers/${lead?._id}/events`, event)
})

/** Waits for the file of an export and returns its contents. */
async function fileOf(page: Page, name: string): Promise<string> {
  await expect(rowOf(page, name).getByText('completed')).toBeVisible({ timeout: 60_000 })
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: `Download ${name}` }).click()
  return exportedText(await (await download).path())
}

async function newExport(page: Page, name: string): Promise<Locator> {
  await page.getByRole('button', { name: 'NEW EXPORT' }).click()
  const dialog = dialogOf(page, 'New Export')
  await dialog.getByRole('textbox', { name: 'Export Name' }).fill(name)
  return dialog
}

/** Number of leads by city. */
function citySizes(): [string, number][] {
  const sizes = new Map<string, number>()
  for (const { City } of everybody) sizes.set(City, (sizes.get(City) ?? 0) + 1)
  return [...sizes]
}

test('an export of filtered contacts, zipped, from the dialog to the file', async ({ page }) => {
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
  await expect(filter.getByRole('tab')).toHaveText([
    'Standard',
    'Behavioral',
    'By Location',
    'Groupby',
    'Predefined',
    'Full Text',
  ])
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

test('a filter with groups exports its columns and groups, with the number of groups shown', async ({ page }) => {
  await signIn(page, rosa)
  await openScreen(page, 'Exports')
  const dialog = await newExport(page, 'Cities by size')
  await dialog.getByRole('button', { name: 'Edit filter' }).click()
  const filter = dialogOf(page, 'Filter')
  await filter.getByRole('tab', { name: 'Groupby' }).click()
  await choose(page, filter.getByRole('combobox', { name: 'Group by', exact: true }), 'City')
  await choose(page, filter.getByRole('combobox', { name: 'Operator' }), 'count')
  await choose(page, filter.getByRole('combobox', { name: 'Sort by' }), 'Value')
  await choose(page, filter.getByRole('combobox', { name: 'Sort', exact: true }), 'Descending')
  await choose(page, filter.getByRole('combobox', { name: 'Limit' }), '5')
  await filter.getByRole('button', { name: 'Apply' }).click()
  await expect(dialog.getByRole('region', { name: 'File columns' }).getByRole('listitem')).toHaveText(['City', 'count'])
  await expect(dialog.getByRole('combobox', { name: /^Fields to export/ })).toBeHidden()
  await expect(dialog.getByText('5 groups', { exact: true })).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Submit' }).click()
  const [header, ...lines] = (await fileOf(page, 'Cities by size')).trimEnd().split('\n')
  expect(header).toBe('City,count')
  const sizes = citySizes().map(([, size]) => size)
  const largest = sizes.toSorted((one, other) => other - one).slice(0, 5)
  expect(lines.map((line) => Number(line.split(',').at(-1)))).toEqual(largest)
  await page.getByRole('button', { name: 'Expand Cities by size' }).click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ 'Total Records': '5', 'Fields (2)': 'City\ncount' })
})

test('the groups of a search are exported as shown', async ({ page }) => {
  await signIn(page, rosa)
  const groups = [{ $group: { _id: { City: '$City' }, count: { $count: {} } } }, { $sort: { City: 1 } }, { $limit: 50 }]
  await openScreen(page, 'Search & Analyze')
  await page.goto(`${page.url().split('?')[0]}?filter=${encodeURIComponent(JSON.stringify(groups))}`)
  await page.getByRole('button', { name: 'count', exact: true }).click()
  await expect(page).toHaveURL(/sort=count/)
  await page.getByRole('button', { name: 'Export Results' }).click()
  const dialog = dialogOf(page, 'Export These Results')
  await expect(dialog.getByText(/^7 groups\./)).toBeVisible()
  await dialog.getByRole('textbox', { name: 'Export Name' }).fill('Cities of a search')
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(snackbar(page, "'Cities of a search' was submitted.")).toBeVisible()
  await openScreen(page, 'Exports')
  const text = await fileOf(page, 'Cities of a search')
  const wanted = citySizes().map(([city, size]) => csvLine([city, String(size)]))
  const lines = text.split(/(?<=\n)/)
  expect(lines.slice(1).toSorted()).toEqual(wanted.toSorted())
  const sizes = lines.slice(1).map((line) => Number(line.trim().split(',').at(-1)))
  expect(sizes).toEqual(sizes.toSorted((one, other) => one - other))
})

test('custom event fields recorded by an application are exported', async ({ page }) => {
  await signIn(page, rosa)
  await openScreen(page, 'Exports')
  const dialog = await newExport(page, 'Prices paid')
  await dialog.getByRole('button', { name: 'Clear', exact: true }).click()
  const chooser = dialog.getByRole('combobox', { name: /^Fields to export/ })
  for (const name of ['Email', 'events.price', 'events.coupon']) {
    await chooser.fill(name)
    await page.getByRole('option', { name, exact: true }).click()
  }
  await expect(dialog.getByText(/the file has one row per event/)).toBeVisible()
  await dialog.getByRole('button', { name: 'Submit' }).click()
  expect(await fileOf(page, 'Prices paid')).toBe("Email,events.price,events.coupon\nperson.1@example.com,12.5,'=MAY\n")
})
