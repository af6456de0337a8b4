import { readFile } from 'node:fs/promises'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { addressIn, expect, makePerson, type Person, signIn, test } from '../portal.ts'
import { type Prepared, prepareAccount } from '../prepared.ts'
import { columnOf } from '../screens.ts'

let prepared: Prepared
let guest: Person

test.beforeAll(async () => {
  prepared = await prepareAccount('Zinnia Prints', 'Quentin')
  guest = await makePerson('Rosa', { accounts: [prepared.account], mayNothing: true })
  const api = await apiOf(prepared.person, prepared.account)
  for (const part of ['one', 'two', 'three', 'four', 'five']) await api.makeExport(`List ${part}`, ['Email'])
})

test('lists the finished files, finds and sorts them, page by page', async ({ page }) => {
  await signIn(page, prepared.person, undefined, '/downloads')
  await expect(page.getByText('6 files', { exact: true })).toBeVisible()
  const table = page.getByRole('table')
  await expect.poll(() => columnOf(table, 'Name')).toHaveLength(5)
  await expect.poll(() => columnOf(table, 'Rows')).toEqual(['60', '60', '60', '60', '60'])
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect.poll(() => columnOf(table, 'Name')).toEqual(['Everybody'])
  await page.getByRole('button', { name: 'Name' }).click()
  await expect
    .poll(() => columnOf(table, 'Name'))
    .toEqual(['Everybody', 'List five', 'List four', 'List one', 'List three'])
  await page.getByLabel('Search downloads by name').fill('THREE')
  await expect.poll(() => columnOf(table, 'Name')).toEqual(['List three'])
  await expect(page).toHaveURL(addressIn(prepared.account, '/downloads?sort=name&name=THREE'))
  await page.getByLabel('Search downloads by name').fill('no such file')
  await expect(page.getByText('No matching files found.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear the search', exact: true }).last().click()
  await expect(page.getByText('6 files', { exact: true })).toBeVisible()
})

test('gives the file', async ({ page }) => {
  await signIn(page, prepared.person, undefined, '/downloads?name=Everybody')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download Everybody' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('Everybody.csv')
  const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n')
  expect(lines).toHaveLength(61)
})

test('who may not list exports is told what is missing', async ({ page }) => {
  await signIn(page, guest, undefined, '/downloads')
  await expect(page.getByText('You may not see the files of this account')).toBeVisible()
  await expect(page.getByRole('main')).toContainText('contact-export-list')
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the list is accessible in ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await signIn(page, prepared.person, undefined, '/downloads')
    await expect(page.getByText('6 files', { exact: true })).toBeVisible()
    await expectAccessible(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await expectAccessible(page)
    await expect(page.getByRole('button', { name: /^Download / }).first()).toBeInViewport()
  })
}
