import { expectPresentable, openIamScreen } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { dialogOf, rowOf } from '../screens.ts'

let harbour: Account
let iris: Person
let guest: Person

test.beforeAll(async () => {
  harbour = await makeAccount('Harbour Opera')
  iris = await makePerson('Iris', { accounts: [harbour] })
  guest = await makePerson('Guest of the opera', { accounts: [harbour], mayNothing: true })
})

test('a link is created for an address and some rights, opens the portal with them, and ends when revoked', async ({
  page,
  context,
  browser,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, iris, undefined, '/iam/home')
  await openIamScreen(page, 'Impersonation')
  await expect(page.getByText('No active links.')).toBeVisible()
  const ip = page.getByRole('textbox', { name: 'IP' })
  await page.getByRole('button', { name: 'Submit' }).click()
  await expect(ip).toHaveAccessibleDescription(/Value is required!/)
  await expect(ip).toBeFocused()
  await expect(page.getByText('At least one permission must be checked.')).toBeVisible()
  await ip.fill('127.0.0.256')
  await expect(ip).toHaveAccessibleDescription(/Value is invalid!/)
  await expectPresentable(page)

  await ip.fill('127.0.0.1')
  const slider = page.getByRole('slider', { name: 'Expires in hours' })
  await slider.press('End')
  await expect(page.getByText('48 hours', { exact: true }).first()).toBeVisible()
  await slider.press('Home')
  await slider.press('ArrowRight')
  const permissions = page.getByRole('group', { name: 'Permissions' })
  await permissions.getByRole('checkbox', { name: 'contact-import-list' }).check()
  await page.getByRole('button', { name: 'Submit' }).click()
  const url = await page.getByRole('textbox', { name: 'Impersonation URL' }).inputValue()
  expect(url).toMatch(new RegExp(`^${new URL(page.url()).origin}/#token=[^&]+&aid=${harbour.id}$`))
  await expect(page.getByText('The URL was copied to the clipboard.')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url)
  await expect(rowOf(page, iris.email)).toContainText('127.0.0.1')
  await expect(rowOf(page, iris.email)).toContainText('1 permission')
  await expect(rowOf(page, iris.email)).toContainText('never')
  await expectPresentable(page)

  const other = await (await browser.newContext()).newPage()
  await other.goto(url)
  const banner = other.getByRole('banner')
  await expect(banner).toContainText(`Impersonating ${iris.email} in ${harbour.name} until`)
  await banner.getByRole('button', { name: '1 permission' }).click()
  await expect(other.getByRole('dialog', { name: 'Permissions' })).toContainText('contact-import-list')
  await expectPresentable(other)
  await other.keyboard.press('Escape')
  await banner.getByRole('link', { name: 'List Service' }).click()
  await expect(other.getByRole('heading', { level: 1, name: 'Imports' })).toBeVisible()
  await other.goto('/module/user-profile')
  await expect(other.getByRole('heading', { name: 'Profile not available' })).toBeVisible()
  await other.getByRole('button', { name: 'Leave' }).click()
  await expect(other.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await other.goto(url)
  // In this tab only the fragment changes: the page reloads itself.
  await expect(other.getByRole('banner')).toContainText('Impersonating')
  await other.goto('/contact-service/imports')
  await expect(other.getByRole('heading', { level: 1, name: 'Imports' })).toBeVisible()
  await other.goto('/contact-service/exports')
  await expect(other.getByRole('heading', { level: 1, name: 'You may not open this' })).toBeVisible()

  await page.reload()
  await expect(rowOf(page, iris.email)).not.toContainText('never')
  await expect(page.getByRole('textbox', { name: 'Impersonation URL' })).toBeHidden()
  await page.getByRole('button', { name: /^Revoke link of iris/ }).click()
  const question = dialogOf(page, 'Revoke the link for 127.0.0.1')
  await expect(question).toContainText('Are you sure?')
  await question.getByRole('button', { name: 'Yes, revoke it' }).click()
  await expect(page.getByText('No active links.')).toBeVisible()
  await other.goto('/contact-service/imports')
  await expect(other.getByRole('heading', { level: 1, name: 'Imports' })).toBeHidden()
  await other.context().close()
})

test('users who are neither power admin nor power user see that they are not authorized', async ({ page }) => {
  await signIn(page, guest, undefined, '/iam/impersonation')
  await expect(page.getByText('Sorry, you are not authorized to access this page!')).toBeVisible()
})
