import type { Locator, Page } from '@playwright/test'
import { expectAccessibleInBothSchemes } from '../accessibility.ts'
import {
  accountPicker,
  type Account,
  addressIn,
  expect,
  makeAccount,
  makePerson,
  type Person,
  signIn,
  test,
} from '../portal.ts'
import { powerAdmin } from '../iam-area.ts'
import { type Prepared, prepareAccount } from '../prepared.ts'
import { dialogOf } from '../screens.ts'

let birch: Account
let cedar: Account
let uma: Person
let guest: Person
let prepared: Prepared

test.beforeAll(async () => {
  birch = await makeAccount('Birch Bakery')
  cedar = await makeAccount('Cedar Boats')
  uma = await makePerson('Uma', { accounts: [birch, cedar] })
  prepared = await prepareAccount('Dogwood Dairy', 'Wendy')
  guest = await makePerson('Viktor', { accounts: [birch], mayNothing: true })
})

const palette = (page: Page): Locator => page.getByRole('dialog', { name: 'Command palette' })
const search = (page: Page): Locator => palette(page).getByLabel('Search records, screens, actions and accounts')

async function run(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await search(page).fill(text)
  const first = palette(page).getByRole('button').first()
  await expect(first).toContainText(text)
  // Enter opens the highlighted result, and the highlight follows the typed text with a delay.
  await expect(first).toHaveAttribute('data-selected', 'true')
  await page.keyboard.press('Enter')
}

test('finds screens, runs commands, and switches the account, by keyboard alone', async ({ page, trouble }) => {
  // From a page that is still loading when its user signs out.
  trouble.allow(/^401 GET \/api\//)
  await signIn(page, uma, birch, '/home')
  await run(page, 'Exports')
  await expect(page).toHaveURL(addressIn(birch, '/contact-service/exports'))
  await expect(palette(page)).toBeHidden()
  await run(page, 'New import')
  await expect(dialogOf(page, 'New Import').getByRole('textbox', { name: 'Import Name' })).toBeVisible()
  await run(page, 'Theme: dark')
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await run(page, 'Cedar')
  await expect(accountPicker(page)).toHaveValue(cedar.name)
  await expect(page).toHaveURL(addressIn(cedar, '/contact-service/imports'))
  // The form that was open stays in the account that the user left.
  await expect(page.getByText('No imports are available.')).toBeVisible()
  await expect(dialogOf(page, 'New Import')).toHaveCount(0)
  await run(page, 'Logout')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})

test('offers only what the user may do', async ({ page }) => {
  await signIn(page, guest, undefined, '/home')
  await page.getByRole('button', { name: 'Search or jump to…' }).click()
  await expect(palette(page).getByRole('button', { name: 'Downloads' })).toBeVisible()
  for (const name of ['Identity & Access', 'New import', 'Exports']) {
    await expect(palette(page).getByRole('button', { name })).toHaveCount(0)
  }
  await search(page).fill('nothing of the kind')
  await expect(palette(page).getByText('Nothing found.')).toBeVisible()
})

test('finds records by name and opens them, by keyboard alone', async ({ page }) => {
  const { account, person } = prepared
  await signIn(page, person, undefined, '/home')
  const found = (heading: string): Locator => palette(page).getByRole('group', { name: heading }).getByRole('button')
  const look = async (text: string, heading: string, name: string): Promise<void> => {
    await page.keyboard.press('Control+k')
    await search(page).fill(text)
    await expect(found(heading).first()).toContainText(name)
    await expect(palette(page).locator('[data-selected]')).toContainText(name)
    await page.keyboard.press('Enter')
    await expect(palette(page)).toBeHidden()
  }
  await look('spring', 'Imports', 'Spring leads')
  await expect(page).toHaveURL(addressIn(account, '/contact-service/imports?name=Spring+leads'))
  await look('everyb', 'Exports', 'Everybody')
  await expect(page).toHaveURL(addressIn(account, '/contact-service/exports?name=Everybody'))
  await look('person.5@example', 'Contacts', 'person.5@example.com')
  await expect(page.getByRole('heading', { level: 1, name: 'Carmen Müller' })).toBeVisible()
  await look('wendy', 'People', person.email)
  await expect(page).toHaveURL(addressIn(account, `/iam/identities?search=${encodeURIComponent(person.email)}`))
  await page.keyboard.press('Control+k')
  await search(page).fill('no such record')
  await expect(palette(page).getByRole('status')).toHaveText('No records found')
})

test('a screen that loads late leaves the focus in the reopened palette', async ({ page }) => {
  const { account, person } = prepared
  await signIn(page, person, undefined, '/home')
  await page.keyboard.press('Control+k')
  await search(page).fill('everyb')
  await expect(palette(page).locator('[data-selected]')).toContainText('Everybody')
  const late = Promise.withResolvers<void>()
  await page.route('**/assets/*.js', async (route) => {
    await late.promise
    await route.continue()
  })
  await page.keyboard.press('Enter')
  await expect(palette(page)).toBeHidden()
  await page.keyboard.press('Control+k')
  await search(page).fill('spr')
  late.resolve()
  await expect(page).toHaveURL(addressIn(account, '/contact-service/exports?name=Everybody'))
  await expect(page.getByRole('heading', { level: 1, name: 'Exports', includeHidden: true })).toBeVisible()
  await page.keyboard.type('ing')
  await expect(search(page)).toHaveValue('spring')
})

test('the bar shows all menus of a power admin on a window of 1440 pixels', async ({ page }) => {
  await signIn(page, powerAdmin, birch, '/home')
  await page.setViewportSize({ width: 1440, height: 900 })
  const menu = page.getByRole('navigation', { name: 'Main' })
  await expect(menu.getByRole('link')).toHaveCount(10)
  await expect(menu.getByRole('button', { name: 'More' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Search or jump to… Ctrl K' })).toBeVisible()
})

test('single keys open screens, focus the search and show the shortcuts, but not while typing', async ({ page }) => {
  await signIn(page, uma, birch, '/home')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await expect(page.getByRole('heading', { level: 1, name: 'Downloads' })).toBeVisible()
  await page.keyboard.press('/')
  const box = page.getByLabel('Search downloads by name')
  await expect(box).toBeFocused()
  await page.keyboard.type('gh?')
  await expect(box).toHaveValue('gh?')
  await expect(page.getByRole('heading', { level: 1, name: 'Downloads' })).toBeVisible()
  await page.getByRole('main').focus()
  await page.keyboard.press('?')
  const sheet = dialogOf(page, 'Keyboard shortcuts')
  await expect(sheet.getByRole('term')).toContainText(['Command palette', 'Home', 'Identity & Access'])
  await sheet.getByRole('switch', { name: 'Single-key shortcuts' }).uncheck({ force: true })
  await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
  await page.getByRole('main').focus()
  await page.keyboard.press('?')
  await page.keyboard.press('Control+k')
  await expect(search(page)).toBeFocused()
  await expect(sheet).toBeHidden()
})

test('the palette and the sheet of shortcuts are accessible', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await signIn(page, uma, birch, '/home')
  await page.keyboard.press('Control+k')
  await search(page).fill('e')
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await expect(palette(page)).toBeHidden()
  await page.keyboard.press('?')
  await expect(dialogOf(page, 'Keyboard shortcuts')).toBeVisible()
  await expectAccessibleInBothSchemes(page)
})
