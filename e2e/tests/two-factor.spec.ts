import { readFile } from 'node:fs/promises'
import type { Locator, Page } from '@playwright/test'
import { authenticatorOf } from '../authenticator.ts'
import { expectPresentable } from '../iam-area.ts'
import {
  type Account,
  addressIn,
  enterCredentials,
  expect,
  makeAccount,
  makePerson,
  type Person,
  signIn,
  test,
} from '../portal.ts'
import { dialogOf } from '../screens.ts'

let account: Account
let hugo: Person
let ines: Person
test.beforeAll(async () => {
  account = await makeAccount('Jade Garden')
  hugo = await makePerson('Hubert', { accounts: [account] })
  ines = await makePerson('Ines', { accounts: [account] })
})

const wrongCode = 'The code is wrong or has already been used.'
const panel = (page: Page): Locator => page.getByRole('region', { name: 'Two-factor authentication' })

/** Opens the dialog, and returns a generator of codes for the key in it. */
async function beginSetUp(
  page: Page,
  { password }: Person,
  place: Page | Locator = panel(page),
): Promise<{ dialog: Locator; nextCode: () => string }> {
  await place.getByRole('button', { name: 'Set up two-factor' }).click()
  const dialog = dialogOf(page, 'Set up two-factor')
  await expect(dialog.getByLabel('Password', { exact: true })).toBeFocused()
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('img', { name: 'QR code for the authenticator app' })).toBeVisible()
  await expect(dialog.getByLabel('Code from the app')).toBeFocused()
  const key = await dialog.getByLabel('Key for manual entry').innerText()
  expect(key).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/)
  return { dialog, nextCode: authenticatorOf(key) }
}

async function codesOf(dialog: Locator): Promise<string[]> {
  const items = dialog.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await expect(items).toHaveCount(10)
  return items.allInnerTexts()
}

/** Turns two-factor on; returns the recovery codes. */
async function turnOn(page: Page, person: Person): Promise<{ codes: string[]; nextCode: () => string }> {
  const { dialog, nextCode } = await beginSetUp(page, person)
  await dialog.getByLabel('Code from the app').fill(nextCode())
  await page.keyboard.press('Enter')
  const kept = dialogOf(page, 'Save your recovery codes')
  const codes = await codesOf(kept)
  await kept.getByRole('checkbox', { name: 'I have saved them' }).check()
  await kept.getByRole('button', { name: 'Done' }).click()
  await expect(panel(page)).toContainText('You have 10 recovery codes left.')
  return { codes, nextCode }
}

test('two-factor is set up with the app, and then requires a code', async ({ page, context, trouble }) => {
  trouble.expect(
    '400 POST /api/identity/v1/profile/two-factor',
    '400 POST /api/identity/v1/profile/two-factor/confirmation',
    '401 POST /api/identity/v1/login',
  )
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signIn(page, hugo, undefined, '/module/user-profile')
  await panel(page).getByRole('button', { name: 'Set up two-factor' }).click()
  const first = dialogOf(page, 'Set up two-factor')
  await first.getByLabel('Password', { exact: true }).fill('not it')
  await page.keyboard.press('Enter')
  await expect(first.getByLabel('Password', { exact: true })).toHaveAccessibleDescription('The password is wrong.')
  await first.getByRole('button', { name: 'Cancel' }).click()

  const { dialog, nextCode } = await beginSetUp(page, hugo)
  await expectPresentable(page)
  await dialog.getByRole('button', { name: 'Copy the key' }).click()
  await expect(page.getByText('Copied to the clipboard.')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^[A-Z2-7]{32}$/)
  await dialog.getByLabel('Code from the app').fill('000000')
  await page.keyboard.press('Enter')
  await expect(dialog.getByLabel('Code from the app')).toHaveAccessibleDescription(wrongCode)
  await dialog.getByLabel('Code from the app').fill(nextCode())
  await page.keyboard.press('Enter')

  const codes = dialogOf(page, 'Save your recovery codes')
  const shown = codes.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
  await expect(shown).toHaveCount(10)
  await expectPresentable(page)
  const [one = ''] = await shown.allInnerTexts()
  await codes.getByRole('button', { name: 'Copy the codes' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(one)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    codes.getByRole('button', { name: 'Download' }).click(),
  ])
  expect(await readFile(await download.path(), 'utf8')).toContain(one)
  await expect(codes.getByRole('button', { name: 'Done' })).toBeDisabled()
  await page.keyboard.press('Escape')
  await expect(codes).toBeVisible()
  await expect(codes.getByRole('button', { name: 'Close' })).toBeDisabled()
  await codes.getByRole('checkbox', { name: 'I have saved them' }).check()
  await codes.getByRole('button', { name: 'Done' }).click()
  await expect(panel(page)).toContainText('You have 10 recovery codes left.')
  await expect(panel(page).getByText('On', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Logout' }).click()
  await enterCredentials(page, hugo)
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible()
  await expect(page.getByLabel('Code', { exact: true })).toBeFocused()
  await expect(page.getByLabel('Code', { exact: true })).toHaveAttribute('autocomplete', 'one-time-code')
  await expectPresentable(page)
  await page.getByRole('button', { name: 'Back' }).click()
  await expect(page.getByLabel('E-mail')).toHaveValue(hugo.email)
  await page.getByLabel('Password', { exact: true }).fill(hugo.password)
  await page.keyboard.press('Enter')
  await page.getByLabel('Code', { exact: true }).fill('000000')
  await expect(page.getByRole('alert')).toHaveText(wrongCode)
  // Six digits are submitted automatically; after an error they wait for Enter.
  await page.getByLabel('Code', { exact: true }).fill(nextCode())
  await page.keyboard.press('Enter')
  await expect(page.getByRole('banner')).toBeVisible()
})

test('a recovery code works once; after five wrong codes or five minutes the sign-in starts over', async ({
  page,
  trouble,
}) => {
  trouble.expect('401 POST /api/identity/v1/login')
  await signIn(page, ines, undefined, '/module/user-profile')
  const { codes } = await turnOn(page, ines)
  await page.getByRole('button', { name: 'Logout' }).click()
  await enterCredentials(page, ines)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  await expect(page.getByLabel('Recovery code')).toBeFocused()
  await page.getByLabel('Recovery code').fill(codes[0] ?? '')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('banner')).toBeVisible()
  await page.goto('/module/user-profile')
  await expect(panel(page)).toContainText('You have 9 recovery codes left.')

  await page.getByRole('button', { name: 'Logout' }).click()
  await enterCredentials(page, ines)
  await page.getByRole('button', { name: 'Use a recovery code' }).click()
  for (let tried = 0; tried < 4; tried++) {
    await page.getByLabel('Recovery code').fill(codes[0] ?? '')
    const answered = page.waitForResponse(/\/login$/)
    await page.keyboard.press('Enter')
    await answered
    await expect(page.getByRole('alert')).toHaveText(wrongCode)
  }
  await page.getByLabel('Recovery code').fill(codes[0] ?? '')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveText('Too many wrong codes. Please sign in again.')
  await expect(page.getByLabel('E-mail')).toHaveValue(ines.email)

  await page.clock.install()
  await page.getByLabel('Password', { exact: true }).fill(ines.password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible()
  await page.clock.fastForward('05:01')
  await expect(page.getByRole('alert')).toHaveText('The code expired. Please sign in again.')
})

test('new recovery codes and turning off two-factor require password and code', async ({ page, trouble }) => {
  trouble.expect('400 DELETE /api/identity/v1/profile/two-factor')
  const jule = await makePerson('Jule', { accounts: [account] })
  await signIn(page, jule, undefined, '/module/user-profile')
  const { codes } = await turnOn(page, jule)
  await panel(page).getByRole('button', { name: 'New recovery codes' }).click()
  const renew = dialogOf(page, 'New recovery codes')
  await renew.getByRole('button', { name: 'Create new codes' }).click()
  await expect(renew.getByLabel('Password', { exact: true })).toHaveAccessibleDescription('Value is required!')
  await renew.getByLabel('Password', { exact: true }).fill(jule.password)
  await renew.getByLabel('App code or recovery code').fill(codes[1] ?? '')
  await expectPresentable(page)
  await page.keyboard.press('Enter')
  const kept = dialogOf(page, 'Save your recovery codes')
  const fresh = await codesOf(kept)
  expect(fresh.some((code) => codes.includes(code))).toBe(false)
  await kept.getByRole('checkbox', { name: 'I have saved them' }).check()
  await kept.getByRole('button', { name: 'Done' }).click()

  await panel(page).getByRole('button', { name: 'Turn off' }).click()
  const off = dialogOf(page, 'Turn two-factor off')
  await off.getByLabel('Password', { exact: true }).fill(jule.password)
  await off.getByLabel('App code or recovery code').fill(codes[2] ?? '')
  await page.keyboard.press('Enter')
  await expect(off.getByLabel('App code or recovery code')).toHaveAccessibleDescription(wrongCode)
  await off.getByLabel('App code or recovery code').fill(fresh[0] ?? '')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Two-factor is off.')).toBeVisible()
  await expect(panel(page).getByRole('button', { name: 'Set up two-factor' })).toBeVisible()
})

test('an account that requires two-factor can only be entered with it', async ({ page, browser, trouble }) => {
  const bound = await makeAccount('Kelp Harbour')
  const chief = await makePerson('Xaver', { accounts: [bound] })
  const clerk = await makePerson('Yolanda', { accounts: [bound], mayNothing: true })
  await signIn(page, chief, undefined, '/iam/preferences')
  const demand = async (): Promise<void> => {
    await page.getByRole('tab', { name: 'Session' }).click()
    await page.getByRole('switch', { name: 'Require two-factor' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
  }
  await demand()
  await expect(page.getByRole('alert')).toContainText('Turn on two-factor for yourself first, or add a passkey.')
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.getByRole('button', { name: 'Yes, reset' }).click()
  await page.goto('/module/user-profile')
  await turnOn(page, chief)
  await page.goto('/iam/preferences')
  await demand()
  await expect(page.getByText('Preferences were updated.')).toBeVisible()

  trouble.allow(/^403 /)
  const context = await browser.newContext()
  const other = await context.newPage()
  await other.goto('/downloads')
  await enterCredentials(other, clerk)
  await expect(other.getByRole('heading', { name: 'Two-factor authentication is required' })).toBeVisible()
  await expectPresentable(other)
  await other.reload()
  await expect(
    other.getByRole('heading', { name: /Two-factor authentication is required|Choose an account/ }),
  ).toBeVisible()
  await other.goto(addressIn(bound, '/downloads'))
  const { dialog, nextCode } = await beginSetUp(other, clerk, other)
  await dialog.getByLabel('Code from the app').fill(nextCode())
  await other.keyboard.press('Enter')
  const kept = dialogOf(other, 'Save your recovery codes')
  await kept.getByRole('checkbox', { name: 'I have saved them' }).check()
  await kept.getByRole('button', { name: 'Done' }).click()
  await expect(other.getByRole('heading', { level: 1, name: 'Downloads' })).toBeVisible()
  await context.close()
})

test('unsaved input survives a new two-factor requirement and is saved after the setup', async ({
  page,
  browser,
  trouble,
}) => {
  const marina = await makeAccount('Sandbar Marina')
  const chief = await makePerson('Wendelin', { accounts: [marina] })
  const writer = await makePerson('Zelda', { accounts: [marina] })
  const context = await browser.newContext()
  const desk = await context.newPage()
  await signIn(desk, writer, undefined, '/iam/identities')
  await desk.getByRole('button', { name: 'New identity' }).click()
  const draft = dialogOf(desk, 'New Identity')
  await draft.getByLabel('Email').fill('typed-before@example.com')

  await signIn(page, chief, undefined, '/module/user-profile')
  await turnOn(page, chief)
  await page.goto('/iam/preferences')
  await page.getByRole('tab', { name: 'Session' }).click()
  await page.getByRole('switch', { name: 'Require two-factor' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Preferences were updated.')).toBeVisible()

  trouble.allow(/^403 /)
  await desk.bringToFront()
  await draft.getByRole('combobox', { name: 'Groups' }).click()
  await desk.getByRole('option', { name: 'Power users' }).click()
  await desk.keyboard.press('Escape')
  await draft.getByRole('button', { name: 'Create' }).click()
  const asked = dialogOf(desk, 'Set up two-factor')
  await expect(asked).toContainText('What you typed is kept')
  await expectPresentable(desk)
  await asked.getByLabel('Password', { exact: true }).fill(writer.password)
  await desk.keyboard.press('Enter')
  const key = await asked.getByLabel('Key for manual entry').innerText()
  await asked.getByLabel('Code from the app').fill(authenticatorOf(key)())
  await desk.keyboard.press('Enter')
  const kept = dialogOf(desk, 'Save your recovery codes')
  await kept.getByRole('checkbox', { name: 'I have saved them' }).check()
  await kept.getByRole('button', { name: 'Done' }).click()
  await expect(draft).toBeHidden()
  await expect(desk.getByRole('row', { name: /typed-before@example\.com/ })).toBeVisible()
  await context.close()
})
