import type { RemoteAccess, RemoteAccessUsage } from '@portico/contract/remote-access'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import { chooseByTyping, tabTo } from '../keyboard.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, dialogOf, expectNoSideScroll, rowOf, snackbar } from '../screens.ts'

let account: Account
let iris: Person
/** Email of the first contact. */
let email: string

test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  account = await makeAccount('Juniper Gardens')
  iris = await makePerson('Iris', { accounts: [account] })
  const api = await apiOf(iris, account)
  await api.importFile('Spring leads', csvFile(contacts(60)))
  const [first] = await api.get<{ Email: string }[]>('/contact-service/v1/offers?limit=1')
  email = first?.Email ?? ''
})

const place = '/contact-service/access'

test('without remote accesses the screen explains what they are', async ({ page }) => {
  await signIn(page, iris, undefined, place)
  await expect(page.getByRole('heading', { name: 'Remote Accesses', level: 1 })).toBeVisible()
  await expect(page.getByText('No remote accesses are available.')).toBeVisible()
  await expect(page.getByRole('button', { name: /^in \d+ sec$/ })).toBeDisabled()
  await expectAccessible(page)
})

test('a remote access is created by keyboard alone', async ({ page }) => {
  await signIn(page, iris, undefined, place)
  await expect(page.getByText('No remote accesses are available.')).toBeVisible()
  await tabTo(page, page.getByRole('button', { name: 'NEW ACCESS' }).first())
  await page.keyboard.press('Enter')
  const dialog = dialogOf(page, 'Create a New Access')
  const domain = dialog.getByRole('textbox', { name: 'Domain' })
  await expect(domain).toBeFocused()
  await page.keyboard.type('https://shop.example.com')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('Value is invalid!')).toBeVisible()
  await expect(dialog.getByText('Value is required!')).toHaveCount(2)
  await expectAccessible(page)
  await domain.press('ControlOrMeta+a')
  await page.keyboard.type('shop.example.com')
  await tabTo(page, dialog.getByRole('switch', { name: 'Include Subdomains' }))
  await page.keyboard.press('Space')
  const column = dialog.getByRole('combobox', { name: 'Column to Authenticate with' })
  await chooseByTyping(page, column, 'Email')
  await expect(column).toHaveValue('Email')
  await expect(dialog.getByRole('region', { name: 'Rating of the authentication' })).toContainText(
    /^(open|weak|fair|strong)/,
  )
  const chooser = dialog.getByRole('combobox', { name: /^Public Columns/ })
  for (const name of ['First Name', 'City']) {
    await chooseByTyping(page, chooser, name)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('Delete')
  }
  await expect(dialog.getByText(/^2\/\d+$/)).toBeVisible()
  await tabTo(page, dialog.getByRole('button', { name: 'Save' }))
  await page.keyboard.press('Enter')
  await expect(snackbar(page, 'The new remote access for the domain was created.')).toBeVisible()
  const row = rowOf(page, 'shop.example.com')
  await expect(row.getByText('active')).toBeVisible({ timeout: 60_000 })
  await expect(row.getByRole('cell')).toHaveText([
    '',
    'Domain',
    'active',
    'True',
    'Email',
    'First NameCity',
    /^\d+\/\d+\/\d{4} \d+:\d\d:\d\d [AP]M$/,
    '',
  ])
  await expectAccessible(page)
})

test('Try it shows what a page would get, and why another page is refused', async ({ page }) => {
  await signIn(page, iris, undefined, place)
  await page.getByRole('button', { name: 'Expand shop.example.com' }).click()
  await expect(page.getByText('No calls in the last 30 days.')).toBeVisible()
  await page.getByRole('tab', { name: 'Try it' }).click()
  const tester = page.getByRole('region', { name: 'Try it' })
  await tester.getByRole('textbox', { name: 'with Email' }).fill(email.toUpperCase())
  await tester.getByRole('button', { name: 'Try', exact: true }).click()
  await expect(tester.getByRole('status')).toContainText('"First Name"')
  await expect(tester.getByRole('status')).not.toContainText('Last Name')
  await tester.getByRole('textbox', { name: 'As a page of' }).fill('https://evil.example.org')
  await page.keyboard.press('Enter')
  await expect(tester.getByRole('status')).toContainText(/^403/)
  await expectAccessible(page)
  await page.getByRole('tab', { name: 'Add it to your page' }).click()
  await expect(page.getByRole('region', { name: 'Code' })).toContainText(
    `data-account="${account.id}" data-key="Email"`,
  )
  await expectAccessible(page)
})

test('calls from pages are counted, and refused origins are listed', async ({ page, request }) => {
  const offers = `/api/contact-service/v1/public/${account.id}/offers`
  const callAs = (origin: string) => request.get(offers, { params: { Email: email }, headers: { origin } })
  expect((await callAs('https://www.shop.example.com')).status()).toBe(200)
  expect((await callAs('https://evil.example.org')).status()).toBe(403)
  const api = await apiOf(iris, account)
  const [access] = await api.get<RemoteAccess[]>('/contact-service/v1/remoteAccess')
  await api.until<RemoteAccessUsage>(
    `/contact-service/v1/remoteAccess/${access?._id}/usage`,
    ({ days, refusedOrigins }) => days[0]?.served === 1 && refusedOrigins.length === 1,
  )
  await signIn(page, iris, undefined, place)
  await page.getByRole('button', { name: 'Expand shop.example.com' }).click()
  await expect(page.getByRole('application', { name: 'Calls per day (UTC) by outcome' })).toBeVisible()
  const today = page.getByRole('table', { name: 'Days with calls (UTC)' }).getByRole('row').nth(1)
  await expect(today).toHaveText(/^\d{4}-\d\d-\d\d1001000$/)
  await expect(page.getByRole('region', { name: 'Refused origins' })).toContainText('https://evil.example.org')
  await expectAccessible(page)
})

test('a remote access is paused, and confirmation is required if ids open every contact', async ({ page }) => {
  await signIn(page, iris, undefined, place)
  await page.getByRole('button', { name: 'Edit shop.example.com' }).click()
  const dialog = dialogOf(page, 'Edit Access')
  await expect(dialog.getByRole('textbox', { name: 'Domain' })).toHaveValue('shop.example.com')
  await expect(dialog.getByRole('region', { name: 'Rating of the authentication' })).toContainText('fair')
  await expectAccessible(page)
  await dialog.getByRole('switch', { name: 'Paused' }).check({ force: true })
  await choose(page, dialog.getByRole('combobox', { name: 'Column to Authenticate with' }), 'ID')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const question = dialogOf(page, 'Let anyone read every contact?')
  await expect(question.getByRole('button', { name: 'Save' })).toBeDisabled()
  await expectAccessible(page)
  await question.getByRole('textbox', { name: 'Domain or IP Address' }).fill('SHOP.example.com')
  await question.getByRole('button', { name: 'Save' }).click()
  await expect(snackbar(page, 'The new remote access for the domain was updated.')).toBeVisible()
  await expect(rowOf(page, 'shop.example.com').getByText('paused')).toBeVisible()
})

test('columns that look personal require confirmation', async ({ page }) => {
  await signIn(page, iris, undefined, place)
  await page.getByRole('button', { name: 'NEW ACCESS' }).click()
  const dialog = dialogOf(page, 'Create a New Access')
  await dialog.getByText('IP Address', { exact: true }).first().click()
  await dialog.getByRole('textbox', { name: 'IP Address' }).fill('203.0.113.7')
  await choose(page, dialog.getByRole('combobox', { name: 'Column to Authenticate with' }), 'Last Name')
  await choose(page, dialog.getByRole('combobox', { name: 'and a Second Column' }), 'City')
  await dialog.getByRole('combobox', { name: /^Public Columns/ }).click()
  await page.getByRole('option', { name: 'Email', exact: true }).click()
  await page.keyboard.press('Tab')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const question = dialogOf(page, 'Make personal columns public?')
  await expect(question.getByText(/^These columns look personal: Email\./)).toBeVisible()
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Make public' }).click()
  await expect(snackbar(page, 'The new remote access for the domain was created.')).toBeVisible()
  await expect(rowOf(page, '203.0.113.7')).toContainText('Last Name & City')
})

test.describe('dark and narrow', () => {
  test.use({ colorScheme: 'dark', viewport: { width: 390, height: 844 } })

  test('the list, the details and the dialog fit the screen and are accessible', async ({ page }) => {
    await signIn(page, iris, undefined, place)
    await expect(page.getByRole('rowheader').first()).toBeVisible()
    await expectNoSideScroll(page)
    await page.getByRole('button', { name: 'Expand 203.0.113.7' }).click()
    for (const tab of ['Usage', 'Try it', 'Call it from your program']) {
      await page.getByRole('tab', { name: tab }).click()
      await expect(page.getByRole('tabpanel', { name: tab })).toBeVisible()
      await expectNoSideScroll(page)
      await expectAccessible(page)
    }
    await page.getByRole('button', { name: 'NEW ACCESS' }).click()
    await expect(dialogOf(page, 'Create a New Access').getByRole('button', { name: 'Save' })).toBeInViewport()
    await expectNoSideScroll(page)
    await expectAccessible(page)
  })
})

test('deleting requires the domain or IP address, in any letter case', async ({ page }) => {
  await signIn(page, iris, undefined, place)
  await page.getByRole('button', { name: 'Delete shop.example.com' }).click()
  const dialog = dialogOf(page, 'Delete Access')
  await dialog.getByRole('textbox', { name: 'Domain' }).fill('shop.example')
  await expect(dialog.getByRole('button', { name: 'Delete' })).toBeDisabled()
  await expectAccessible(page)
  await dialog.getByRole('textbox', { name: 'Domain' }).fill('Shop.Example.Com')
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(snackbar(page, 'The new remote access for the domain was deleted.')).toBeVisible()
  await expect(rowOf(page, 'shop.example.com')).toBeHidden()
})
