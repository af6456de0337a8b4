import { type Locator, type Page } from '@playwright/test'
import { apiOf } from '../api.ts'
import { expectSmall, firstLoad, watchShifts } from '../first-load.ts'
import { tabTo } from '../keyboard.ts'
import {
  accountPicker,
  type Account,
  addressIn,
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

const mainMenu = (page: Page): Locator => page.getByRole('navigation', { name: 'Main' })
const sideMenu = (page: Page): Locator => page.getByRole('navigation', { name: 'List Service' })

test('the side menu leads to every screen and marks the current one', async ({ page }) => {
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

test('the side menu stays collapsed or expanded', async ({ page }) => {
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

test('the chosen theme persists and overrides that of the system', async ({ page }) => {
  const lightness = (): Promise<number> =>
    page.evaluate(() => {
      const [red = 0, green = 0, blue = 0] = (getComputedStyle(document.body).backgroundColor.match(/\d+/g) ?? []).map(
        Number,
      )
      return (red + green + blue) / 3
    })
  await signIn(page, clara, lakeside)
  expect(await lightness()).toBeGreaterThan(200)
  const choose = async (theme: string): Promise<void> => {
    await page.getByRole('button', { name: /^Theme: / }).click()
    await page.getByRole('dialog', { name: 'Theme' }).getByRole('button', { name: theme }).click()
  }
  await choose('Dark')
  await expect.poll(lightness).toBeLessThan(60)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Theme: dark' })).toBeVisible()
  expect(await lightness()).toBeLessThan(60)
  await choose('Light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.reload()
  await expect(page.getByRole('button', { name: 'Theme: light' })).toBeVisible()
  expect(await lightness()).toBeGreaterThan(200)
  await choose('System')
  await expect.poll(lightness).toBeLessThan(60)
})

test('switching the account in the bar keeps the screen', async ({ page }) => {
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

test('an unknown address shows a message inside the portal', async ({ page }) => {
  await signIn(page, clara, lakeside)
  for (const address of ['/contact-service/nowhere', '/nowhere/at/all']) {
    await page.goto(address)
    await expect(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible()
    await expect(mainMenu(page)).toBeVisible()
  }
  await page.getByRole('link', { name: 'Go to the home page' }).click()
  await expect(page).toHaveURL(addressIn(lakeside, '/home'))
})

test('a member without any permission sees no menu entries, and each screen names the missing permission', async ({
  page,
}) => {
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

test('keyboard users can skip to the content and move through the menu', async ({ page }) => {
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

test('the user menu works by keyboard and returns the focus', async ({ page }) => {
  await signIn(page, clara, lakeside)
  const avatar = page.getByRole('banner').getByRole('button', { name: /, your menu$/ })
  await avatar.focus()
  await page.keyboard.press('Enter')
  const menu = page.getByRole('dialog', { name: 'Your menu' })
  await expect(menu.getByRole('link', { name: 'User profile' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  const logout = menu.getByRole('button', { name: 'Logout' })
  await expect(logout).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(logout).toBeHidden()
  await expect(avatar).toBeFocused()
})

test('the entries of the bar are in order and limited to what the user may see', async ({ page }) => {
  // Only the module CRM has a URL.
  const everybody = ['Home', 'Dashboards', 'CRM', 'Downloads', 'List Service']
  await signIn(page, clara, lakeside)
  await expect(mainMenu(page).getByRole('link')).toHaveText([...everybody, 'Identity & Access', 'Settings'])
  await page.getByRole('button', { name: 'Logout' }).click()
  await signIn(page, guest)
  await expect(mainMenu(page).getByRole('link')).toHaveText([...everybody, 'Settings'])
})

test('entries that do not fit in the bar are links in a menu', async ({ page }) => {
  await signIn(page, clara, lakeside)
  await page.setViewportSize({ width: 800, height: 800 })
  const more = mainMenu(page).getByRole('button', { name: 'More' })
  await expect(mainMenu(page).getByRole('link', { name: 'Settings' })).toHaveCount(0)
  await more.click()
  const menu = page.getByRole('dialog', { name: 'More' })
  await expect(menu.getByRole('link', { name: 'Settings' })).toHaveAttribute(
    'href',
    addressIn(lakeside, '/module/settings'),
  )
  await menu.getByRole('link', { name: 'Settings' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible()
  await expect(menu).toBeHidden()
  await page.setViewportSize({ width: 1800, height: 800 })
  await expect(more).toHaveCount(0)
  await expect(mainMenu(page).getByRole('link', { name: 'Settings' })).toBeVisible()
})

test('the identity area refuses users who are neither power admin nor power user', async ({ page }) => {
  await signIn(page, guest, undefined, '/iam/groups')
  await expect(
    page.getByRole('heading', { level: 1, name: 'Sorry, you are not authorized to access this page!' }),
  ).toBeVisible()
  await expect(page.getByRole('term')).toHaveText(['Power Admin', 'Power User', 'Parent Account'])
  await expect(page.getByRole('definition')).toHaveText(['No', 'No', 'None'])
})

test('opening the portal leads to the last page viewed, unless the setting is off', async ({ page }) => {
  await signIn(page, guest, undefined, '/downloads')
  await expect(page.getByRole('heading', { level: 1, name: 'Downloads' })).toBeVisible()
  await page.goto('/')
  await expect(page).toHaveURL(addressIn(lakeside, '/downloads'))
  await page.evaluate(() => localStorage.setItem('portico.settings', '{"keepLastPageViewed":false}'))
  await page.goto('/')
  await expect(page).toHaveURL(addressIn(lakeside, '/home'))
})

test('no personal data stays in the browser after signing out or the end of the session', async ({
  page,
  context,
  trouble,
}) => {
  trouble.allow(/^401 GET /)
  const stored = () => page.evaluate(() => [JSON.stringify(localStorage), JSON.stringify(sessionStorage)] as const)
  const endings = [
    async () => page.getByRole('button', { name: 'Logout' }).click(),
    async () => {
      const other = await context.newPage()
      await other.goto('/home')
      await other.getByRole('button', { name: 'Logout' }).click()
      await other.close()
    },
    async () => {
      const token = await page.evaluate(() => JSON.parse(sessionStorage.getItem('portico.tab') ?? '').token as string)
      await page.request.post('/api/identity/v1/logout', { headers: { authorization: `Bearer ${token}` } })
      await page.reload()
    },
  ]
  for (const end of endings) {
    await signIn(page, guest, undefined, '/home')
    await page.goto(addressIn(lakeside, '/downloads'))
    await expect(page.getByRole('heading', { level: 1, name: 'Downloads' })).toBeVisible()
    expect((await stored()).join()).toContain(guest.email)
    await page.goto(addressIn(lakeside, '/home'))
    await end()
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
    await expect.poll(async () => (await stored())[1]).toBe('{}')
    const [local] = await stored()
    expect(['portico.colorScheme', 'portico.settings', 'portico.shortcuts']).toEqual(
      expect.arrayContaining(Object.keys(JSON.parse(local) as object)),
    )
    expect(local).not.toMatch(/@|eyJ|downloads/)
  }
})

test('an impersonation link opens the portal with a banner in place of its bar, in this tab only', async ({
  page,
  context,
}) => {
  const { token } = await (await apiOf(clara, lakeside)).get<{ token: string }>('/identity/v1/login/127.0.0.1/3600')
  await page.goto(`/contact-service/exports?status=completed#token=${token}&aid=${lakeside.id}`)
  await expect(page.getByRole('heading', { level: 1, name: 'Exports' })).toBeVisible()
  await expect(page).toHaveURL(addressIn(lakeside, '/contact-service/exports?status=completed'))
  await expect(page.getByRole('banner')).toContainText(`Impersonating ${clara.email}`)
  await expect(page.getByRole('combobox', { name: 'Account' })).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: 'Exports' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Logout' })).toHaveCount(0)
  const another = await context.newPage()
  await another.goto('/home')
  await expect(another.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})

test('missing code of a screen reloads the page once, then shows an error', async ({ page, context, trouble }) => {
  await signIn(page, clara, lakeside)
  trouble.expect('net::ERR_FAILED')
  await context.route('**/assets/downloads-*.js', (route) => route.abort())
  const loaded = page.waitForEvent('load')
  await mainMenu(page).getByRole('link', { name: 'Downloads' }).click()
  await loaded
  await expect(page.getByRole('heading', { level: 1, name: 'This part could not be loaded' })).toBeVisible()
  await expect(mainMenu(page)).toBeVisible()
  await context.unroute('**/assets/downloads-*.js')
  await page.getByRole('button', { name: 'Reload the page' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Downloads' })).toBeVisible()
})

test('the first load of the shell is less than 200 kB of compressed JavaScript', async ({ page, browser }) => {
  // A path that is not a screen loads only the shell.
  await signIn(page, clara, lakeside, '/nowhere')
  await expect(page.getByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible()
  const files = await firstLoad(page, browser, '/nowhere')
  await expectSmall(files.filter((url) => url.endsWith('.js')))
})

test('lists appear without layout shift or violations of the content security policy', async ({ page }) => {
  const shift = await watchShifts(page)
  await page.addInitScript(() => {
    const breaches: string[] = []
    Object.assign(window, { breaches })
    document.addEventListener('securitypolicyviolation', ({ blockedURI }) => breaches.push(blockedURI))
  })
  await signIn(page, clara, lakeside, '/home')
  const places = [
    ['/home', 'Recent activity'],
    ['/contact-service/imports', 'No imports are available.'],
    ['/contact-service/documents', 'No contacts are available.'],
    ['/iam/policies', 'Full access'],
  ] as const
  for (const [place, text] of places) {
    await page.goto(place)
    await expect(page.getByText(text, { exact: true })).toBeVisible()
    expect(await page.evaluate(() => (window as unknown as { breaches: string[] }).breaches), place).toEqual([])
    expect(await shift(), place).toBeLessThan(0.02)
  }
})
