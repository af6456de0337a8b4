import { readFile } from 'node:fs/promises'
import { expectAccessibleInBothSchemes } from '../accessibility.ts'
import { apiOf, type Client } from '../api.ts'
import { agePastExport } from '../database.ts'
import { type Account, addressIn, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { type Prepared, prepareAccount } from '../prepared.ts'
import { columnOf, rowOf } from '../screens.ts'

let prepared: Prepared
let other: Account
let guest: Person
let api: Client

test.beforeAll(async () => {
  prepared = await prepareAccount('Zinnia Prints', 'Quentin')
  other = await makeAccount('Thistle Atelier')
  guest = await makePerson('Rosa', { accounts: [prepared.account, other], mayNothing: true })
  api = await apiOf(prepared.person, prepared.account)
  for (const part of ['one', 'two', 'three', 'four']) await api.makeExport(`List ${part}`, ['Email'])
})

test('lists exports and rows set aside, with search, sorting and pages', async ({ page }) => {
  await signIn(page, prepared.person, undefined, '/downloads')
  await expect(page.getByText('6 files, each kept for 30 days', { exact: true })).toBeVisible()
  const table = page.getByRole('table')
  // Newest first: the report of the import is older than all exports.
  await expect
    .poll(() => columnOf(table, 'Name'))
    .toEqual(['List four', 'List three', 'List two', 'List one', 'Everybody'])
  expect(await columnOf(table, 'Kind')).toEqual(Array.from({ length: 5 }, () => 'Export'))
  expect(await columnOf(table, 'Rows')).toEqual(['60', '60', '60', '60', '60'])
  expect(await columnOf(table, 'Created By')).toContain(prepared.person.email)
  for (const title of ['Created', 'Expires']) {
    expect((await columnOf(table, title))[0]).toMatch(/^\d{1,2}\/\d{1,2}\/\d{4} \d{1,2}:\d\d:\d\d [AP]M$/)
  }
  await page.getByRole('button', { name: 'Next page' }).click()
  await expect.poll(() => columnOf(table, 'Name')).toEqual(['Spring leads'])
  expect(await columnOf(table, 'Kind')).toEqual(['Rows set aside'])
  expect(await columnOf(table, 'Rows')).toEqual(['1'])
  await page.getByRole('button', { name: 'Name' }).click()
  await expect
    .poll(() => columnOf(table, 'Name'))
    .toEqual(['Everybody', 'List four', 'List one', 'List three', 'List two'])
  await page.getByRole('button', { name: 'Size' }).click()
  await expect.poll(async () => (await columnOf(table, 'Name'))[0]).toBe('Spring leads')
  await page.getByRole('textbox', { name: /^Search downloads/ }).fill('THREE')
  await expect.poll(() => columnOf(table, 'Name')).toEqual(['List three'])
  await expect(page).toHaveURL(addressIn(prepared.account, '/downloads?sort=size&search=THREE'))
  await page.getByRole('textbox', { name: /^Search downloads/ }).fill('no such file')
  await expect(page.getByText('No matching files found.')).toBeVisible()
  await page.getByRole('button', { name: 'Clear the search', exact: true }).last().click()
  await expect(page.getByText('6 files, each kept for 30 days', { exact: true })).toBeVisible()
})

test('downloads the file of an export and the rows set aside by an import', async ({ page }) => {
  await signIn(page, prepared.person, undefined, '/downloads?sort=name')
  const fetched = async (name: string): Promise<string> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Download ${name}`, exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe(name)
    return readFile(await download.path(), 'utf8')
  }
  expect((await fetched('Everybody.csv')).trimEnd().split('\n')).toHaveLength(61)
  await page.getByRole('button', { name: 'Next page' }).click()
  expect(await fetched('Spring leads - set aside.csv')).toContain('"Expected 8 cells, found 2.",Too,few')
})

test('a finished file appears automatically', async ({ page }) => {
  await signIn(page, prepared.person, undefined, '/downloads?search=meanwhile')
  await expect(page.getByText('No matching files found.')).toBeVisible()
  await api.makeExport('Made meanwhile', ['Email'])
  await expect(rowOf(page, 'Made meanwhile')).toBeVisible({ timeout: 10_000 })
  await expect(page.getByText('1 file found', { exact: true })).toBeVisible()
})

test('an expired file shows when it was removed, and why it cannot be downloaded, also by keyboard', async ({
  page,
}) => {
  const { _id, databaseName } = await api.makeExport('Long ago', ['Email'])
  await agePastExport(databaseName, _id)
  await signIn(page, prepared.person, undefined, '/downloads?search=ago')
  await expect(rowOf(page, 'Long ago')).toContainText(/Removed \d/)
  const button = page.getByRole('button', { name: 'Download Long ago.csv' })
  await expect(button).toHaveAttribute('aria-disabled', 'true')
  await button.press('Enter')
  await expect(page.getByRole('tooltip')).toHaveText('The file was removed after 30 days.')
  expect(await api.statusOf(`/contact-service/v1/downloads/files/export-${_id}`)).toBe(404)
})

test('the disk usage is shown to power users only, and files only with the right to see them', async ({ page }) => {
  await signIn(page, prepared.person, undefined, '/downloads')
  await expect(page.getByRole('region', { name: 'Disk use' })).toContainText(/Uploads[\d.]+ kB/)
  await page.getByRole('button', { name: 'Logout' }).click()
  await signIn(page, guest, prepared.account, '/downloads')
  await expect(page.getByText('You do not have access to the files of this account')).toBeVisible()
  await expect(page.getByRole('main')).toContainText('contact-downloads-list')
  await expect(page.getByRole('region', { name: 'Disk use' })).toHaveCount(0)
})

test('the list is accessible', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(page, prepared.person, undefined, '/downloads')
  await expect(page.getByRole('button', { name: /^Download / }).first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Disk use' })).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectAccessibleInBothSchemes(page)
  await expect(page.getByRole('button', { name: /^Download / }).first()).toBeInViewport()
})
