import type { Export } from '@portico/contract/exports'
import type { Import } from '@portico/contract/imports'
import type { Page } from '@playwright/test'
import { apiOf, type Client } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import {
  accountPicker,
  type Account,
  addressIn,
  enterCredentials,
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
/** Has access to both. */
let hanna: Person
/** Has access only to the quarry. */
let ivo: Person

test.beforeAll(async () => {
  pines = await makeAccount('Pines Hotel')
  quarry = await makeAccount('Quarry Stone')
  hanna = await makePerson('Hanna', { accounts: [pines, quarry] })
  ivo = await makePerson('Ivo', { accounts: [quarry] })
  inPines = await apiOf(hanna, pines)
  inQuarry = await apiOf(hanna, quarry)
  // The same file twice, so that the second import's contacts have ids that do not exist in the other account.
  await inPines.importFile('Guests of spring', csvFile(contacts(40)))
  await inPines.importFile('Guests of summer', csvFile(contacts(2)))
  await inQuarry.importFile('Builders', 'Firm,Town\nStone & Son,Carrara\nMarble Ltd,Estremoz\n')
})

test('two tabs work in two accounts without mixing them', async ({ page: one, context }) => {
  await signIn(one, hanna, pines)
  const two = await context.newPage()
  await two.goto('/contact-service/imports')
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

test('a link in a new tab enters the account it was taken from, regardless of other tabs', async ({
  page: one,
  context,
}) => {
  await signIn(one, hanna, pines)
  const two = await context.newPage()
  await two.goto('/contact-service/imports')
  await switchAccount(two, quarry)
  // The browser's last session is now in the quarry. A link opened by a middle click, and a copied one:
  const exportsLink = one.getByRole('navigation', { name: 'List Service' }).getByRole('link', { name: 'Exports' })
  const [three] = await Promise.all([context.waitForEvent('page'), exportsLink.click({ button: 'middle' })])
  await expect(three.getByRole('heading', { level: 1, name: 'Exports' })).toBeVisible()
  await expect(accountPicker(three)).toHaveValue(pines.name)
  const four = await context.newPage()
  const asked = accountsAsked(four)
  await four.goto(one.url())
  await expect.poll(() => columnOf(four.getByRole('table'), 'Name')).toEqual(['Guests of summer', 'Guests of spring'])
  await expect(four).toHaveURL(addressIn(pines, '/contact-service/imports'))
  // The stored token enters the account first; all other requests use that account.
  expect(asked.slice(-1)).toEqual([pines.id])
  await expect(accountPicker(two)).toHaveValue(quarry.name)
  await two.reload()
  await expect.poll(() => columnOf(two.getByRole('table'), 'Name')).toEqual(['Builders'])
})

test('going back returns to the account of that page', async ({ page }) => {
  await signIn(page, hanna, pines)
  await switchAccount(page, quarry)
  await expect.poll(() => columnOf(page.getByRole('table'), 'Name')).toEqual(['Builders'])
  await page.goBack()
  await expect(accountPicker(page)).toHaveValue(pines.name)
  await expect.poll(() => columnOf(page.getByRole('table'), 'Name')).toEqual(['Guests of summer', 'Guests of spring'])
  await page.goForward()
  await expect(accountPicker(page)).toHaveValue(quarry.name)
  await expect.poll(() => columnOf(page.getByRole('table'), 'Name')).toEqual(['Builders'])
})

test('a link to an account of others shows a message and leads to the own accounts', async ({ page, trouble }) => {
  trouble.expect(`404 GET /api/identity/v1/login/${pines.id}`)
  await signIn(page, ivo)
  await page.goto(addressIn(pines, '/contact-service/imports'))
  await expect(page.getByRole('heading', { name: 'You do not have access to this account' })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(ivo.email)
  await page.getByRole('button', { name: 'Choose another account' }).click()
  await page.getByRole('list', { name: 'Accounts' }).getByRole('button', { name: quarry.name }).click()
  await expect.poll(() => columnOf(page.getByRole('table'), 'Name')).toEqual(['Builders'])
  await expect(page).toHaveURL(addressIn(quarry, '/contact-service/imports'))
})

test('signing in through a link enters its account directly', async ({ page }) => {
  await page.goto(addressIn(quarry, '/contact-service/documents'))
  await enterCredentials(page, hanna)
  await expect(page.getByText('2 contacts', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(addressIn(quarry, '/contact-service/documents'))
})

test('switching to an account that does not permit the screen opens its dashboards', async ({ page }) => {
  const lone = await makePerson('Jolanda', { accounts: [pines] })
  // Without any rights in the quarry.
  await makePerson('Jolanda', { accounts: [quarry], mayNothing: true, isKnown: true })
  await signIn(page, lone, pines)
  await switchAccount(page, quarry)
  await expect(page).toHaveURL(addressIn(quarry, '/dashboards'))
  await expect(page.getByRole('heading', { level: 1, name: 'Dashboards' })).toBeVisible()
})

/** Returns the URL of a search that finds one of the hotel's guests. */
const searchForOne = `/contact-service/documents?filter=${encodeURIComponent(
  JSON.stringify([{ $match: { $and: [{ $text: { $search: 'person.7@example.com' } }] } }]),
)}`

test('switching the account leaves nothing of the other one on the screen', async ({ page }) => {
  await signIn(page, hanna, pines)
  await page.goto(`${searchForOne}&sort=Score&dir=desc`)
  await expect(page.getByText('1 contact found', { exact: true })).toBeVisible()
  await page
    .getByRole('button', { name: /^Expand / })
    .first()
    .click()
  await expect(page.getByRole('definition').filter({ hasText: 'person.7@example.com' })).toBeVisible()
  await switchAccount(page, quarry)
  await expect(page.getByText('2 contacts', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(addressIn(quarry, '/contact-service/documents'))
  await expect(page.getByRole('main')).not.toContainText(/person\.7|First Name|Score/)
  await expect(page.getByLabel('Search contacts')).toHaveValue('')
})

test('a member of another account sees nothing at the same addresses', async ({ page }) => {
  await signIn(page, ivo)
  await page.goto('/contact-service/imports?name=Guests')
  await expect(page.getByText('No matching imports found.')).toBeVisible()
  await page.goto('/contact-service/imports')
  await expect.poll(() => columnOf(page.getByRole('table'), 'Name')).toEqual(['Builders'])
  await page.goto(searchForOne)
  await expect(page.getByText('No matching contacts found.')).toBeVisible()
  await page.goto('/contact-service/documents?page=8&sort=Score')
  await expect.poll(() => columnOf(page.getByRole('table'), 'Firm')).toEqual(['Stone & Son', 'Marble Ltd'])
  await expect(page.getByRole('combobox', { name: 'Account' })).toHaveCount(0)
  await expect(page.getByRole('banner')).toContainText(quarry.name)
})

test('the API returns nothing to members of other accounts', async () => {
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

/** Records the accounts in the tokens of a tab's requests from now on. */
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
