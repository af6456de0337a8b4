import { type Locator, type Page } from '@playwright/test'
import {
  accountPicker,
  type Account,
  expect,
  makeAccount,
  makePerson,
  openScreen,
  type Person,
  signIn,
  test,
} from '../portal.ts'

let lakeside: Account
let meadow: Account
let clara: Person
let guest: Person

test.beforeAll(async () => {
  lakeside = await makeAccount('Lakeside Clinic')
  meadow = await makeAccount('Meadow Farm')
  clara = await makePerson('Clara', { accounts: [lakeside, meadow] })
  guest = await makePerson('Guest', { accounts: [lakeside], mayNothing: true })
})

const sideMenu = (page: Page): Locator => page.getByRole('navigation', { name: 'List Service' })

test('the side menu leads to each screen and marks the shown one', async ({ page }) => {
  await signIn(page, clara, lakeside)
  for (const name of ['Imports', 'Exports', 'Search & Analyze'] as const) {
    await openScreen(page, name)
    await expect(sideMenu(page).getByRole('link', { name })).toHaveAttribute('aria-current', 'page')
    await expect(page).toHaveTitle(new RegExp(`^${name}`))
  }
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1, name: 'Exports' })).toBeVisible()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'List Service' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Imports' })).toBeVisible()
})

test('the side menu stays as narrow or wide as it was left', async ({ page }) => {
  await signIn(page, clara, lakeside)
  const widthOf = async (): Promise<number> => (await page.getByRole('complementary').boundingBox())?.width ?? 0
  await expect.poll(widthOf).toBe(220)
  await page.getByRole('button', { name: 'Collapse the side menu' }).click()
  await expect.poll(widthOf).toBe(60)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Expand the side menu' })).toHaveAttribute('aria-expanded', 'false')
  expect(await widthOf()).toBe(60)
  await sideMenu(page).getByRole('link', { name: 'Exports' }).hover()
  await expect(page.getByRole('tooltip', { name: 'Exports' })).toBeVisible()
  await openScreen(page, 'Exports')
  await page.getByRole('button', { name: 'Expand the side menu' }).click()
  await expect.poll(widthOf).toBe(220)
})

test('the chosen theme stays, over the one of the system', async ({ page }) => {
  const lightness = (): Promise<number> =>
    page.evaluate(() => {
      const [red = 0, green = 0, blue = 0] = (getComputedStyle(document.body).backgroundColor.match(/\d+/g) ?? []).map(
        Number,
      )
      return (red + green + blue) / 3
    })
  await signIn(page, clara, lakeside)
  expect(await lightness()).toBeGreaterThan(200)
  await page.getByRole('button', { name: 'Use the dark theme' }).click()
  await expect.poll(lightness).toBeLessThan(60)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Use the light theme' })).toBeVisible()
  expect(await lightness()).toBeLessThan(60)
  await page.getByRole('button', { name: 'Use the light theme' }).click()
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.reload()
  await expect(page.getByRole('button', { name: 'Use the dark theme' })).toBeVisible()
  expect(await lightness()).toBeGreaterThan(200)
})

test('another account is entered from the bar, and the screen stays', async ({ page }) => {
  await signIn(page, clara, lakeside)
  await openScreen(page, 'Exports')
  await accountPicker(page).click()
  await expect(page.getByRole('option')).toHaveText([lakeside.name, meadow.name])
  await page.getByRole('option', { name: meadow.name }).click()
  await expect(accountPicker(page)).toHaveValue(meadow.name)
  await expect(page.getByRole('heading', { level: 1, name: 'Exports' })).toBeVisible()
  await page.reload()
  await expect(accountPicker(page)).toHaveValue(meadow.name)
  await expect(page.getByRole('heading', { level: 1, name: 'Exports' })).toBeVisible()
})

test('an address that leads nowhere says so, inside the portal', async ({ page }) => {
  await signIn(page, clara, lakeside)
  for (const address of ['/contact-service/nowhere', '/nowhere/at/all']) {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible()
    await expect(sideMenu(page)).toBeVisible()
  }
  await page.getByRole('link', { name: 'Go to the List Service' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Imports' })).toBeVisible()
})

test('who holds no feature sees no menu entry, and learns at each screen what is missing', async ({ page }) => {
  await signIn(page, guest)
  await expect(page.getByRole('heading', { level: 1, name: 'Nothing to open here yet' })).toBeVisible()
  await expect(sideMenu(page).getByRole('link')).toHaveCount(0)
  const features = { imports: 'contact-import-list', exports: 'contact-export-list', documents: 'contact-offers-list' }
  for (const [path, feature] of Object.entries(features)) {
    await page.goto(`/contact-service/${path}`)
    await expect(page.getByRole('heading', { level: 1, name: 'You may not open this' })).toBeVisible()
    await expect(page.getByRole('main')).toContainText(`needs the feature ${feature}, which you do not hold in`)
    await expect(page.getByRole('main')).toContainText('Contact your admin to see how you can get this feature.')
  }
})

test('the keyboard skips to the content, and walks the menu', async ({ page }) => {
  await signIn(page, clara, lakeside)
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Imports' })).toBeVisible()
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Skip to the content' })
  await expect(skip).toBeFocused()
  await expect(skip).toBeInViewport()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('main')).toBeFocused()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('main').getByRole('button', { name: 'NEW IMPORT' })).toBeFocused()

  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Imports' })).toBeVisible()
  await tabTo(page, sideMenu(page).getByRole('link', { name: 'Exports' }))
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Exports' })).toBeVisible()
  await expect(page.getByRole('main')).toBeFocused()
})

test('the menu of the person works by keyboard and gives the focus back', async ({ page }) => {
  await signIn(page, clara, lakeside)
  const avatar = page.getByRole('banner').getByRole('button', { name: /, your menu$/ })
  await avatar.focus()
  await page.keyboard.press('Enter')
  const logout = page.getByRole('dialog').getByRole('button', { name: 'Logout' })
  await expect(logout).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(logout).toBeHidden()
  await expect(avatar).toBeFocused()
})

/** Presses Tab until the element has the focus; fails when it is not to be reached. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 30; presses++) {
    await page.keyboard.press('Tab')
    if (await target.evaluate((element) => element === document.activeElement)) return
  }
  throw new Error(`Tab does not lead to ${String(target)}.`)
}
