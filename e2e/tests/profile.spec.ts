import type { Locator, Page } from '@playwright/test'
import { agePastGivenPassword } from '../database.ts'
import { expectPresentable } from '../iam-area.ts'
import {
  type Account,
  enterCredentials,
  expect,
  makeAccount,
  makePerson,
  type Person,
  signIn,
  test,
} from '../portal.ts'
import { dialogOf, rowOf } from '../screens.ts'

let account: Account
let rosa: Person
test.beforeAll(async () => {
  account = await makeAccount('Kestrel Travel')
  rosa = await makePerson('Rosalie', { accounts: [account] })
})

const panel = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })
const avatar = (page: Page): Locator => page.getByRole('banner').getByRole('button', { name: /, your menu$/ })

/** Playwright's recorder reads blob URLs, which the portal's pages must not. */
const recorder = /^Connecting to 'blob:/

/** A wide image, red on the left, blue on the right. */
const halves = `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="200">
  <rect width="200" height="200" fill="#f00"/><rect x="200" width="200" height="200" fill="#00f"/></svg>`

async function choosePhoto(page: Page, dialog: Locator, name: string, mimeType: string, content: string) {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    dialog.getByRole('button', { name: /^Choose a/ }).click(),
  ])
  await chooser.setFiles({ name, mimeType, buffer: Buffer.from(content) })
}

/** Returns the size of the photo as served by the portal, and two points left and right of its center. */
const photoOf = (image: Locator) =>
  image.evaluate(async (element) => {
    const shown = element as HTMLImageElement
    await shown.decode()
    const canvas = document.createElement('canvas')
    canvas.width = shown.naturalWidth
    canvas.height = shown.naturalHeight
    const context = canvas.getContext('2d')
    context?.drawImage(shown, 0, 0)
    const colorAt = (x: number): string => {
      const [red = 0, , blue = 0] = context?.getImageData(x, 128, 1, 1).data ?? []
      return red > blue ? 'red' : 'blue'
    }
    return { width: shown.naturalWidth, height: shown.naturalHeight, left: colorAt(20), right: colorAt(235) }
  })

test('the avatar opens the profile, where the name is changed', async ({ page }) => {
  await signIn(page, rosa)
  await avatar(page).click()
  await page.getByRole('link', { name: 'User profile' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'User profile' })).toBeVisible()
  await expect(panel(page, 'You')).toContainText(rosa.email)
  await expect(page.getByText('This session')).toBeVisible()
  await expectPresentable(page)
  const name = panel(page, 'You').getByLabel('Name')
  await name.fill('Rosa Lind')
  await panel(page, 'You').getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Your name was saved.')).toBeVisible()
  await expect(avatar(page)).toHaveAccessibleName(/Rosa Lind/)
  await page.reload()
  await expect(name).toHaveValue('Rosa Lind')
})

test('a photo is cropped to a square, also by keyboard, and shown in the bar', async ({ page, trouble }) => {
  trouble.allow(recorder)
  await signIn(page, rosa, undefined, '/module/user-profile')
  await panel(page, 'You').getByRole('button', { name: 'Add a photo' }).click()
  const dialog = dialogOf(page, 'Upload an image')
  await dialog.getByRole('button', { name: 'Upload' }).click()
  await expect(dialog.getByRole('alert')).toHaveText('Value is required!')
  await choosePhoto(page, dialog, 'notes.txt', 'text/plain', 'no image')
  await expect(dialog.getByRole('alert')).toHaveText('Only image files are accepted.')
  await choosePhoto(page, dialog, 'photo', 'image/png', 'whatever')
  await expect(dialog.getByRole('alert')).toHaveText("'photo' was ignored: its name has no extension.")
  await choosePhoto(page, dialog, 'photo.png', 'image/png', 'not what its name says')
  await expect(dialog.getByRole('alert')).toContainText('This browser cannot read this image.')
  await choosePhoto(page, dialog, 'photo.svg', 'image/svg+xml', halves)
  await expect(dialog.getByRole('alert')).toHaveCount(0)
  const square = dialog.getByRole('group', { name: /^Part of the image/ })
  await expect(square).toBeVisible()
  await expectPresentable(page)
  await dialog.getByRole('button', { name: 'Upload' }).click()
  await expect(page.getByText('Your photo was changed.')).toBeVisible()
  const photo = panel(page, 'You').getByRole('img', { name: 'Your photo' })
  expect(await photoOf(photo)).toEqual({ width: 256, height: 256, left: 'red', right: 'blue' })
  await expect(avatar(page).locator('img')).toHaveAttribute('src', (await photo.getAttribute('src')) ?? '')

  await panel(page, 'You').getByRole('button', { name: 'Change the photo' }).click()
  await choosePhoto(page, dialog, 'photo.svg', 'image/svg+xml', halves)
  await square.focus()
  for (let presses = 0; presses < 20; presses++) await page.keyboard.press('Shift+ArrowLeft')
  await dialog.getByRole('button', { name: 'Upload' }).click()
  await expect(dialog).toBeHidden()
  await expect.poll(() => photoOf(photo)).toEqual({ width: 256, height: 256, left: 'red', right: 'red' })

  await panel(page, 'You').getByRole('button', { name: 'Remove' }).click()
  await dialogOf(page, 'Remove your photo').getByRole('button', { name: 'Yes, remove it' }).click()
  await expect(page.getByText('Your photo was removed.')).toBeVisible()
  await expect(avatar(page).locator('img')).toHaveCount(0)
})

test('an image can be dropped, and Cancel changes nothing', async ({ page, trouble }) => {
  trouble.allow(recorder)
  await signIn(page, rosa, undefined, '/module/user-profile')
  await panel(page, 'You').getByRole('button', { name: 'Add a photo' }).click()
  const dialog = dialogOf(page, 'Upload an image')
  const data = await page.evaluateHandle((content) => {
    const transfer = new DataTransfer()
    transfer.items.add(new File([content], 'dropped.svg', { type: 'image/svg+xml' }))
    return transfer
  }, halves)
  const zone = dialog.getByText('Drop an image here')
  await zone.dispatchEvent('dragenter', { dataTransfer: data })
  await zone.dispatchEvent('drop', { dataTransfer: data })
  await expect(dialog.getByRole('group', { name: /^Part of the image/ })).toBeVisible()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await expect(dialog).toBeHidden()
  await expect(panel(page, 'You').getByRole('button', { name: 'Add a photo' })).toBeVisible()
})

test('changing the password requires the current one and ends other sessions', async ({ page, browser, trouble }) => {
  trouble.expect('400 PUT /api/identity/v1/profile/password')
  const theo = await makePerson('Theo', { accounts: [account] })
  const other = await browser.newContext()
  const elsewhere = await other.newPage()
  await signIn(elsewhere, theo)
  await signIn(page, theo, undefined, '/module/user-profile')
  await expect(panel(page, 'Sessions').last().getByRole('table').getByRole('row')).toHaveCount(3)

  const form = panel(page, 'Password')
  await expect(form.getByRole('button', { name: 'Change the password' })).toBeDisabled()
  await form.getByLabel('Current password', { exact: true }).fill('not it at all')
  await form.getByLabel('New password', { exact: true }).fill('six brown owls listen')
  await form.getByRole('button', { name: 'Change the password' }).click()
  await expect(form.getByLabel('Current password', { exact: true })).toHaveAccessibleDescription(
    'The password is wrong.',
  )
  await form.getByLabel('Current password', { exact: true }).fill(theo.password)
  await form.getByRole('button', { name: 'Show the password' }).last().click()
  await expect(form.getByLabel('New password', { exact: true })).toHaveAttribute('type', 'text')
  await form.getByRole('button', { name: 'Change the password' }).click()
  await expect(page.getByText('Your password was changed. Your other sessions have ended.')).toBeVisible()
  await expect(panel(page, 'Sessions').last().getByRole('table').getByRole('row')).toHaveCount(2)

  await elsewhere.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Downloads' }).click()
  await expect(elsewhere.getByText('Your session has ended. Please sign in again.')).toBeVisible()
  await other.close()
  await page.getByRole('button', { name: 'Logout' }).click()
  await enterCredentials(page, { ...theo, password: 'six brown owls listen' })
  await expect(page.getByRole('banner')).toBeVisible()
})

test('sessions can be ended one by one, or all others at once', async ({ page, browser, trouble }) => {
  const ursa = await makePerson('Ursa', { accounts: [account] })
  const others = await Promise.all(
    ['Firefox', 'Edge', 'Safari'].map(async (name) => {
      const userAgents: Record<string, string> = {
        Firefox: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
        Edge: 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0',
        Safari: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
      }
      const context = await browser.newContext({ userAgent: userAgents[name] ?? '' })
      await signIn(await context.newPage(), ursa)
      return context
    }),
  )
  await signIn(page, ursa, undefined, '/module/user-profile')
  const table = panel(page, 'Sessions').last().getByRole('table')
  await expect(table.getByRole('row')).toHaveCount(5)
  await expect(table.getByRole('row').nth(1)).toContainText('This session')
  await expect(rowOf(page, 'Firefox on Windows')).toContainText('127.0.0.1')
  await page.getByRole('button', { name: 'End Firefox on Windows, 127.0.0.1' }).click()
  const dialog = dialogOf(page, 'End the session')
  await expect(dialog).toContainText('Firefox on Windows (127.0.0.1) is signed out at once.')
  await dialog.getByRole('button', { name: 'Yes, end it' }).click()
  await expect(page.getByText('The session was ended.')).toBeVisible()
  await expect(table.getByRole('row')).toHaveCount(4)
  await agePastGivenPassword(ursa.email)
  trouble.allow(/^40[03] /)
  await page.getByRole('button', { name: 'End all others' }).click()
  const all = dialogOf(page, 'End all other sessions')
  await expect(all).toContainText('2 sessions on other devices or browsers will end.')
  await all.getByRole('button', { name: 'Yes, end them' }).click()
  const again = dialogOf(page, 'Enter your password')
  await expect(again.getByLabel('Password', { exact: true })).toBeFocused()
  await expectPresentable(page)
  await again.getByLabel('Password', { exact: true }).fill('not it')
  await page.keyboard.press('Enter')
  await expect(again.getByLabel('Password', { exact: true })).toHaveAccessibleDescription('The password is wrong.')
  await again.getByLabel('Password', { exact: true }).fill(ursa.password)
  await page.keyboard.press('Enter')
  await expect(page.getByText('2 sessions were ended.')).toBeVisible()
  await expect(table.getByRole('row')).toHaveCount(2)
  for (const context of others) {
    const [elsewhere] = context.pages()
    // The tab may already have noticed by itself.
    await elsewhere?.goto('/downloads')
    await expect(elsewhere?.getByRole('heading', { name: 'Sign in' }) ?? page.getByText('no page')).toBeVisible()
    await context.close()
  }
})
