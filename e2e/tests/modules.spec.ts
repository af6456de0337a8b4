import { expectAccessible } from '../accessibility.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'

let account: Account
let sven: Person
let guest: Person

test.beforeAll(async () => {
  account = await makeAccount('Aster Cinema')
  sven = await makePerson('Svante', { accounts: [account] })
  guest = await makePerson('Tilda', { accounts: [account], mayNothing: true })
})

test('a module with an address is shown in a sandboxed frame', async ({ page }) => {
  await signIn(page, sven, undefined, '/home')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'CRM' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'CRM' })).toBeVisible()
  const frame = page.frameLocator('iframe[title="CRM"]')
  await expect(frame.getByRole('heading', { name: 'The customers of another product' })).toBeVisible()
  await expect(page.getByTitle('CRM')).toHaveAttribute('sandbox', /allow-scripts/)
  await expect(page.getByTitle('CRM')).not.toHaveAttribute('sandbox', /allow-top-navigation/)
  await expect(page.getByRole('link', { name: 'Open in a new tab' })).toHaveAttribute('href', /\/crm$/)
  await expect(page).toHaveTitle(/^CRM/)
  await expectAccessible(page)
})

test('an administrator sees how to set up a module, others only that it is not set up', async ({ page }) => {
  await signIn(page, sven, undefined, '/module/objectives')
  await expect(page.getByRole('heading', { level: 1, name: 'Campaigns' })).toBeVisible()
  await expect(page.getByText('Campaigns is not set up')).toBeVisible()
  await expect(page.getByRole('main')).toContainText('MODULE_URLS')
  await expectAccessible(page)
  await page.goto('/module/weather')
  await expect(page.getByText('weather is not set up')).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await signIn(page, guest, undefined, '/module/objectives')
  await expect(page.getByText('Campaigns is not set up')).toBeVisible()
  await expect(page.getByRole('main')).not.toContainText('MODULE_URLS')
})

test('the settings have a built-in page if no address is set', async ({ page }) => {
  await signIn(page, guest, undefined, '/module/settings')
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await expect(page.getByRole('switch').first()).toBeVisible()
})
