import type { Locator, Page } from '@playwright/test'
import { csvFile, contacts } from '../contact-file.ts'
import { expectPresentable, openIamScreen, powerAdmin } from '../iam-area.ts'
import {
  type Account,
  addressIn,
  authorizationOf,
  enterCredentials,
  expect,
  makeAccount,
  makePerson,
  openScreen,
  type Person,
  signInByHand,
  test,
} from '../portal.ts'
import { chooseColumns, chooseFile, dialogOf, openNewImport, openStep, rowOf } from '../screens.ts'

let account: Account
let vera: Person
let wim: Person
test.beforeAll(async () => {
  account = await makeAccount('Lantern Press')
  vera = await makePerson('Verena', { accounts: [account] })
  wim = await makePerson('Wim', { accounts: [account] })
})

const warning = (page: Page): Locator => dialogOf(page, 'Are you still there?')
const cover = (page: Page): Locator => dialogOf(page, 'Sign in again')
/** Lists that may be loading when the session ends. */
const lateAnswers = /^401 GET /

async function signInAgain(page: Page, { password }: Person): Promise<void> {
  await cover(page).getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await expect(cover(page)).toBeHidden()
}

test('an idle session shows a warning two minutes before its end, and staying continues it', async ({ page }) => {
  await page.clock.install()
  await signInByHand(page, vera)
  await page.clock.fastForward('27:30')
  await page.clock.runFor('00:20')
  await expect(warning(page)).toBeHidden()
  await page.clock.fastForward('00:20')
  await expect(warning(page)).toBeVisible()
  await expect(warning(page).getByRole('timer')).toHaveText(/^1:[45]\d$/)
  await expect(warning(page).getByRole('button', { name: 'Stay signed in' })).toBeFocused()
  await expectPresentable(page)
  const userResponse = page.waitForResponse(/\/identity\/v1\/user$/)
  await page.keyboard.press('Enter')
  await expect(warning(page)).toBeHidden()
  expect((await userResponse).status()).toBe(200)

  await page.clock.fastForward('28:30')
  await warning(page).getByRole('button', { name: 'Log out' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(page).toHaveURL('/')
})

test('activity in one tab keeps all signed in; an idle session ends in all, and signing in returns to the page', async ({
  page,
  context,
  trouble,
}) => {
  trouble.allow(lateAnswers)
  // Both tabs may notice at once: the second ends a session that has already ended.
  trouble.allow(/^401 POST \/api\/identity\/v1\/logout$/)
  await context.clock.install()
  await signInByHand(page, vera)
  await openScreen(page, 'Exports')
  const another = await context.newPage()
  await another.goto('/downloads')
  await expect(another.getByRole('heading', { level: 1, name: 'Downloads' })).toBeVisible()
  await page.clock.fastForward('28:30')
  await expect(warning(page)).toBeVisible()
  await warning(another).getByRole('button', { name: 'Stay signed in' }).click()
  await expect(warning(page)).toBeHidden()

  await page.clock.fastForward('31:00')
  // The tab that notices first ends the session, and the other follows.
  const notices = /^You were signed out after 30 minutes without activity\.$|^Your session has ended\./
  await expect(page.getByText(notices)).toBeVisible()
  await expect(another.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await enterCredentials(page, vera)
  await expect(page.getByRole('heading', { level: 1, name: 'Exports' })).toBeVisible()
})

test('input for an import survives the end of an idle session', async ({ page, trouble }) => {
  trouble.expect('401 POST /api/identity/v1/login')
  trouble.allow(lateAnswers)
  await page.clock.install()
  await signInByHand(page, vera)
  await openScreen(page, 'Imports')
  const dialog = await openNewImport(page)
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Winter leads')
  await chooseFile(page, dialog, 'winter.csv', csvFile(contacts(3)))
  await chooseColumns(dialog, 'PURL Columns', ['First Name', 'Last Name'])
  await chooseColumns(dialog, 'Dedup Columns', ['Email'])
  await openStep(dialog, 'File')
  await page.clock.fastForward('31:00')

  await expect(cover(page)).toContainText('You were signed out after 30 minutes without activity.')
  await expect(cover(page)).toContainText(`Sign in as ${vera.email} to go on.`)
  await expect(cover(page).getByLabel('Password', { exact: true })).toBeFocused()
  expect(
    await page.evaluate(() => [localStorage, sessionStorage].some((all) => JSON.stringify(all).includes('eyJ'))),
  ).toBe(false)
  await expectPresentable(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await expect(cover(page)).toBeVisible()
  // The form below is unchanged, and the command palette did not open.
  await expect(page.getByRole('dialog')).toHaveCount(2)
  await cover(page).getByLabel('Password', { exact: true }).fill('not it')
  await page.keyboard.press('Enter')
  await expect(cover(page).getByRole('alert')).toHaveText('The email or password is wrong.')
  await signInAgain(page, vera)

  await expect(dialog.getByRole('textbox', { name: 'Import Name' })).toHaveValue('Winter leads')
  await expect(dialog.getByText('winter.csv', { exact: true })).toBeVisible()
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(page.getByText("'Winter leads' was saved.")).toBeVisible()
  await expect(rowOf(page, 'Winter leads')).toBeVisible()
  await expect(page).toHaveURL(addressIn(account, '/contact-service/imports'))
})

test('input for a group is saved after signing in again when the session has ended', async ({ page, trouble }) => {
  trouble.expect('401 POST /api/identity/v1/groups')
  trouble.allow(lateAnswers)
  await signInByHand(page, powerAdmin, account, '/iam/home')
  const groupsCall = /\/api\/identity\/v1\/groups/
  const authorization = await authorizationOf(page, groupsCall, () => openIamScreen(page, 'Groups'))
  await page.getByRole('button', { name: 'NEW GROUP' }).click()
  const dialog = page.getByRole('dialog', { name: 'New Group' })
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Night shift')
  await dialog.getByRole('combobox', { name: /^Policies/ }).fill('Full')
  await page.getByRole('option', { name: 'Full access' }).click()
  const reply = await page.request.post('/api/identity/v1/logout', { headers: { authorization } })
  expect(reply.status()).toBe(204)
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(cover(page)).toContainText('Your session has ended. Please sign in again.')
  await signInAgain(page, powerAdmin)
  await expect(page.getByText("'Night shift' was created.")).toBeVisible()
  await expect(rowOf(page, 'Night shift')).toBeVisible()
})

test('another person sees neither the input nor the page of the previous one', async ({ page, trouble }) => {
  trouble.allow(lateAnswers)
  await page.clock.install()
  await signInByHand(page, vera)
  await openScreen(page, 'Imports')
  const dialog = await openNewImport(page)
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Secret leads')
  await page.clock.fastForward('31:00')
  await cover(page).getByRole('button', { name: 'Sign in as someone else' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(page).toHaveURL('/')
  await expect(page.getByLabel('E-mail')).toHaveValue('')
  await expect(page.getByText(vera.email)).toHaveCount(0)
  await enterCredentials(page, wim)
  await expect(page).toHaveURL(addressIn(account, '/home'))
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('a locked tab continues when its person signs in in another tab', async ({ page, context, trouble }) => {
  trouble.allow(lateAnswers)
  await context.clock.install()
  await signInByHand(page, vera)
  await openScreen(page, 'Imports')
  const dialog = await openNewImport(page)
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Autumn leads')
  const another = await context.newPage()
  await another.goto('/downloads')
  await expect(another.getByRole('heading', { level: 1, name: 'Downloads' })).toBeVisible()
  await page.clock.fastForward('31:00')
  await expect(cover(page)).toBeVisible()
  await expect(another.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await enterCredentials(another, vera)
  await expect(another.getByRole('heading', { level: 1, name: 'Downloads' })).toBeVisible()
  await expect(cover(page)).toBeHidden()
  await expect(dialog.getByRole('textbox', { name: 'Import Name' })).toHaveValue('Autumn leads')
})
