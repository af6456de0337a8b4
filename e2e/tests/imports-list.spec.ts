import type { Page } from '@playwright/test'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import { type Account, addressIn, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { columnOf, detailsOf, expectNoSideScroll, rowOf } from '../screens.ts'

let account: Account
let fewer: Account
let agnes: Person
let reader: Person

const keys = { generatePURL: true, purlColumns: ['First Name', 'Last Name'], dedupColumns: ['Email'] }

test.beforeAll(async () => {
  account = await makeAccount('Nettle Bindery')
  fewer = await makeAccount('Nettle Dairy')
  agnes = await makePerson('Agnes', { accounts: [account, fewer] })
  reader = await makePerson('Balthasar', { accounts: [fewer], mayNothing: true })
  const api = await apiOf(agnes, account)
  for (const part of ['one', 'two', 'three', 'four', 'five']) {
    await api.importFile(`Leads ${part}`, csvFile(contacts(2)), keys)
  }
  await api.importFile('Leads six', csvFile(contacts(40)), {
    ...keys,
    notificationEmails: ['agnes@example.com'],
    processBatchSize: 50,
  })
  const inFewer = await apiOf(agnes, fewer)
  await inFewer.importFile('Only leads', csvFile(contacts(2)), {})
})

const table = (page: Page) => page.getByRole('table')

test('imports are paged by 5, 10 or 20, newest first, and filters update the count', async ({ page }) => {
  await signIn(page, agnes, account)
  const titles = ['Name', 'Creation', 'Status', 'Processed Records', 'Start', 'Last Activity', 'PURL Status']
  await expect(page.getByRole('columnheader')).toContainText([
    ...titles,
    'PURL Processed Records',
    'PURL Last Activity',
  ])
  await expect
    .poll(() => columnOf(table(page), 'Name'))
    .toEqual(['Leads six', 'Leads five', 'Leads four', 'Leads three', 'Leads two'])
  expect((await columnOf(table(page), 'Creation'))[0]).toMatch(/^\d{1,2}\/\d{1,2}\/\d{4} \d{1,2}:\d\d:\d\d [AP]M$/)
  await expect(page.getByText('1–5 of 6')).toBeVisible()
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect.poll(() => columnOf(table(page), 'Name')).toEqual(['Leads one'])
  const sizes = page.getByRole('combobox', { name: 'Records per page' })
  await expect(sizes.getByRole('option')).toHaveText(['5', '10', '20', '50', '100'])
  await sizes.selectOption('10')
  await expect.poll(() => columnOf(table(page), 'Name')).toHaveLength(6)
  await sizes.selectOption('5')
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect(page).toHaveURL(addressIn(account, '/contact-service/imports?page=2'))

  const toggle = page.getByRole('button', { name: 'FILTERS' })
  await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await toggle.click()
  const filters = page.getByRole('region', { name: 'Filters' })
  await expect(filters.getByRole('tab')).toHaveText(['Standard'])
  await filters.getByRole('button', { name: 'Add condition' }).click()
  await filters.getByRole('combobox', { name: 'Field of condition 1' }).fill('Processed')
  await page.getByRole('option', { name: 'Processed Records', exact: true }).click()
  await filters.getByLabel('Value of condition 1').fill('2')
  await expectAccessible(page)
  await filters.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByText('5 imports found')).toBeVisible()
  // On the first page, without a footer: five rows fit on the smallest page.
  await expect.poll(() => columnOf(table(page), 'Name')).toHaveLength(5)
  await expect(page.getByRole('navigation', { name: 'Pages of Imports' })).toHaveCount(0)
  // The URL keeps it.
  await page.reload()
  await expect(page.getByRole('button', { name: 'FILTERS (1)' })).toHaveAttribute('aria-expanded', 'true')
  await expect(page.getByText('Imports whose Processed Records is 2.')).toBeVisible()
  await page.getByLabel('Name contains').fill('FOUR')
  await expect.poll(() => columnOf(table(page), 'Name')).toEqual(['Leads four'])
  await page.getByLabel('Name contains').fill('six')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page.getByText('6 imports', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(addressIn(account, '/contact-service/imports'))
})

test('five or fewer imports have no footer', async ({ page }) => {
  await signIn(page, agnes, fewer)
  await expect(rowOf(page, 'Only leads')).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Pages of Imports' })).toHaveCount(0)
  await expect(page.getByLabel('Records per page')).toHaveCount(0)
  // The table scrolls within itself, also without a sticky actions column.
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSideScroll(page)
})

test('REFRESH is locked for ten seconds after each load and counts down', async ({ page }) => {
  await page.clock.install()
  await signIn(page, agnes, account)
  await expect(rowOf(page, 'Leads six')).toBeVisible()
  const locked = page.getByRole('button', { name: /^in \d+ sec$/ })
  const refresh = page.getByRole('button', { name: 'REFRESH' })
  await expect(locked).toBeDisabled()
  const first = Number(/\d+/.exec(await locked.innerText())?.[0])
  expect(first).toBeLessThanOrEqual(10)
  await page.clock.runFor(2000)
  await expect.poll(async () => Number(/\d+/.exec(await locked.innerText())?.[0])).toBeLessThanOrEqual(first - 2)
  await page.clock.runFor(8000)
  await expect(refresh).toBeEnabled()
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.url().includes('/imports?') && !response.url().includes('count=')),
    refresh.click(),
  ])
  expect(answer.status()).toBe(200)
  await expect(locked).toBeDisabled()
})

test('hovering over the processed records shows the time and the speed', async ({ page }) => {
  await signIn(page, agnes, account)
  await rowOf(page, 'Leads six').getByText('40', { exact: true }).first().hover()
  await expect(page.getByRole('tooltip')).toHaveText(/^Processing time[\d a-z]+Speed[\d,]+ records\/hour$/)
})

test('a row opens all details', async ({ page }) => {
  await signIn(page, agnes, account)
  await page.getByRole('button', { name: 'Expand Leads six' }).click()
  await expect
    .poll(() => detailsOf(page))
    .toMatchObject({
      'PURL Columns': 'First Name, Last Name',
      'Dedup Columns': 'Email',
      'Notification Emails': 'agnes@example.com',
      'Latitude Column': '–',
      'Longitude Column': '–',
      'Generate PURL': 'Yes',
      'PURL Generation Scope': 'Account Level',
      'Same PURL for Same Contact': 'No',
      'Auto Export': 'No',
      'Cast Types': 'Yes',
      'Batch Size': '50 thousand',
      'File Delimiter': 'Comma',
      'File Path': expect.stringMatching(/^Leads six\.csv \([\d.]+ kB\)$/),
      'DB Name': `account_${account.id}`,
      'Recovery Count': '0',
      'Recovery Error': '–',
      Id: '6',
    })
  const details = await detailsOf(page)
  expect(details['Header (8)']?.split('\n').filter(Boolean)).toHaveLength(8)
})

test('without the rights to list and create imports the missing feature is named and there is no NEW IMPORT', async ({
  page,
}) => {
  await signIn(page, reader, undefined, '/contact-service/imports')
  await expect(page.getByRole('main')).toContainText('contact-import-list')
  await expect(page.getByRole('button', { name: 'NEW IMPORT' })).toHaveCount(0)
})
