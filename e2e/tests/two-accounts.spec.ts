import type { Export } from '@portico/contract/exports'
import type { Import } from '@portico/contract/imports'
import type { Page } from '@playwright/test'
import { apiOf, type Client } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import {
  type Account,
  expect,
  makeAccount,
  makePerson,
  openScreen,
  type Person,
  signIn,
  switchAccount,
  test,
} from '../portal.ts'
import { columnOf, dialogOf, rowOf, snackbar } from '../screens.ts'

let pines: Account
let quarry: Account
let inPines: Client
let inQuarry: Client
/** May enter both. */
let hanna: Person
/** Belongs to the quarry alone. */
let ivo: Person

test.beforeAll(async () => {
  pines = await makeAccount('Pines Hotel')
  quarry = await makeAccount('Quarry Stone')
  hanna = await makePerson('Hanna', { accounts: [pines, quarry] })
  ivo = await makePerson('Ivo', { accounts: [quarry] })
  inPines = await apiOf(hanna, pines)
  inQuarry = await apiOf(hanna, quarry)
  // The same file twice, so that the second import's contacts have ids that the other account has none of.
  await inPines.importFile('Guests of spring', csvFile(contacts(40)))
  await inPines.importFile('Guests of summer', csvFile(contacts(2)))
  await inQuarry.importFile('Builders', 'Firm,Town\nStone & Son,Carrara\nMarble Ltd,Estremoz\n')
})

test('two tabs work in two accounts and never mix', async ({ page: one, context }) => {
  await signIn(one, hanna, pines)
  const two = await context.newPage()
  await two.goto('/')
  await expect(two.getByText('2 imports', { exact: true })).toBeVisible()
  await switchAccount(two, quarry)
  const asked = { one: accountsAsked(one), two: accountsAsked(two) }

  await one.reload()
  await expect.poll(() => columnOf(one.getByRole('table'), 'Name')).toEqual(['Guests of summer', 'Guests of spring'])
  await expect.poll(() => columnOf(two.getByRole('table'), 'Name')).toEqual(['Builders'])
  await openScreen(two, 'Search & Analyze')
  await openScreen(one, 'Search & Analyze')
  await expect(one.getByText('42 contacts', { exact: true })).toBeVisible()
  await expect(two.getByText('2 contacts', { exact: true })).toBeVisible()
  await expect.poll(() => columnOf(two.getByRole('table'), 'Firm')).toEqual(['Stone & Son', 'Marble Ltd'])
  await expect(one.getByRole('columnheader', { name: 'Firm' })).toHaveCount(0)

  await makeExport(one, 'Guest list')
  await makeExport(two, 'Builder list')
  for (const tab of [one, two]) await tab.reload()
  await expect.poll(() => columnOf(one.getByRole('table'), 'Name')).toEqual(['Guest list'])
  await expect.poll(() => columnOf(two.getByRole('table'), 'Name')).toEqual(['Builder list'])
  await expect(rowOf(one, 'Guest list').getByText('completed')).toBeVisible({ timeout: 60_000 })
  await expect(rowOf(one, 'Guest list')).toContainText('42')
  await expect(rowOf(two, 'Builder list').getByText('completed')).toBeVisible({ timeout: 60_000 })
  await expect(rowOf(two, 'Builder list')).toContainText('2')

  expect(new Set(asked.one)).toEqual(new Set([pines.id]))
  expect(new Set(asked.two)).toEqual(new Set([quarry.id]))
})

test('changing the account leaves nothing of the other one on the screen', async ({ page }) => {
  await signIn(page, hanna, pines)
  await page.goto('/contact-service/documents?q=person.7@&sort=Score&dir=desc')
  await expect(page.getByText('2 contacts found', { exact: true }).or(page.getByText('1 contact found'))).toBeVisible()
  await page
    .getByRole('button', { name: /^Expand / })
    .first()
    .click()
  await expect(page.getByRole('definition').filter({ hasText: 'person.7@example.com' })).toBeVisible()
  await switchAccount(page, quarry)
  await expect(page.getByText('2 contacts', { exact: true })).toBeVisible()
  await expect(page).toHaveURL('/contact-service/documents')
  await expect(page.getByRole('main')).not.toContainText(/person\.7|First Name|Score/)
  await expect(page.getByLabel('Search contacts')).toHaveValue('')
})

test('a member of another account sees nothing at the same addresses', async ({ page }) => {
  await signIn(page, ivo)
  await page.goto('/contact-service/imports?name=Guests')
  await expect(page.getByText('No matching imports found.')).toBeVisible()
  await page.goto('/contact-service/imports')
  await expect.poll(() => columnOf(page.getByRole('table'), 'Name')).toEqual(['Builders'])
  await page.goto('/contact-service/documents?q=person.7@')
  await expect(page.getByText('No matching contacts found.')).toBeVisible()
  await page.goto('/contact-service/documents?page=8&sort=Score')
  await expect.poll(() => columnOf(page.getByRole('table'), 'Firm')).toEqual(['Stone & Son', 'Marble Ltd'])
  await expect(page.getByRole('combobox', { name: 'Account' })).toHaveCount(0)
  await expect(page.getByRole('banner')).toContainText(quarry.name)
})

test('nor does the server give them anything', async () => {
  const [summer] = await inPines.get<Import[]>('/contact-service/v1/imports?limit=1')
  const last = await inPines.get<{ _id: string }[]>('/contact-service/v1/offers?limit=1&skip=41')
  const [list] = await inPines.get<Export[]>('/contact-service/v1/exports?limit=1')
  const paths = [
    `/contact-service/v1/imports/${summer?._id}`,
    `/contact-service/v1/imports/${summer?._id}/set-aside`,
    `/contact-service/v1/offers/${last[0]?._id}`,
  ]
  const asIvo = await apiOf(ivo, quarry)
  for (const path of paths) {
    expect(await inPines.statusOf(path), path).not.toBe(404)
    expect(await asIvo.statusOf(path), path).toBe(404)
  }
  expect(list?.name).toBe('Guest list')
  expect(await asIvo.statusOf(`/identity/v1/login/${pines.id}`)).toBe(404)
})

/** The accounts that a tab asks for from now on, as its tokens say. */
function accountsAsked(page: Page): unknown[] {
  const accounts: unknown[] = []
  page.on('request', (request) => {
    const [, claims] = request.headers()['authorization']?.split('.') ?? []
    if (!claims) return
    const { aid } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { aid: unknown }
    accounts.push(aid)
  })
  return accounts
}

async function makeExport(page: Page, name: string): Promise<void> {
  await openScreen(page, 'Exports')
  await page.getByRole('button', { name: 'NEW EXPORT' }).click()
  const dialog = dialogOf(page, 'New Export')
  await dialog.getByRole('textbox', { name: 'Export Name' }).fill(name)
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(snackbar(page, `'${name}' was submitted.`)).toBeVisible()
}
