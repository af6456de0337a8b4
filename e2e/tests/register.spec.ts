import type { Page } from '@playwright/test'
import { apiOf } from '../api.ts'
import { expectPresentable, powerAdmin } from '../iam-area.ts'
import { linkTo } from '../mailbox.ts'
import { type Account, addressIn, enterCredentials, expect, makeAccount, makePerson, test } from '../portal.ts'

let account: Account
test.beforeAll(async () => {
  account = await makeAccount('Ivory Cinema')
})

async function invite(email: string): Promise<string> {
  const api = await apiOf(powerAdmin, account)
  await api.post(`/identity/v1/accounts/${account.id}/power-users`, { email })
  return linkTo(email, '/register')
}

const passwordField = (page: Page, label = 'New password') => page.getByLabel(label, { exact: true })

test('an invitation leads to a name and a password and into the account, once', async ({ page, trouble }) => {
  trouble.expect('403 POST /api/identity/v1/invitations')
  const email = 'nora.field@example.com'
  const link = await invite(email)
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Welcome to Portico' })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(
    `${powerAdmin.email} invited you to work in the account ${account.name}.`,
  )
  await expect(page.getByRole('main')).toContainText(email)
  await expectPresentable(page)
  await expect(page.getByLabel('Your name')).toBeFocused()

  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page.getByLabel('Your name')).toHaveAccessibleDescription('Value is required!')
  await page.getByLabel('Your name').fill('Nora Field')
  await passwordField(page, 'Password').fill('short')
  await expect(page.getByText('Use at least 8 characters.')).toBeVisible()
  await passwordField(page, 'Password').fill('password123')
  await expect(page.getByText('This is one of the most common passwords. Choose another one.')).toBeVisible()
  await expect(page.getByText('Very weak password')).toBeVisible()
  await passwordField(page, 'Password').fill('nora.field is at work')
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page.getByText('Your password must not contain your email.')).toBeVisible()

  await passwordField(page, 'Password').fill('seven quiet rivers run')
  await expect(page.getByText('Strong password')).toBeVisible()
  await expect(page.getByText('Your password must not contain your email.')).toHaveCount(0)
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page.getByRole('heading', { level: 1, name: /Nora/ })).toBeVisible()
  await expect(page).toHaveURL(addressIn(account, '/home'))

  await page.getByRole('button', { name: 'Logout' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  const answered = page.waitForResponse(/invitations/)
  await page.goto(link)
  expect((await answered).status()).toBe(403)
  await expect(page.getByRole('heading', { name: 'This invitation is not valid' })).toBeVisible()
  await expect(page.getByRole('main')).toContainText('ask the person who invited you for a new invitation')
  await expectPresentable(page)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await enterCredentials(page, { email, password: 'seven quiet rivers run' })
  await expect(page).toHaveURL(addressIn(account, '/home'))
})

test('a registration names the person signed in in this browser, and signs them out', async ({ page }) => {
  const eve = await makePerson('Eve', { accounts: [account] })
  const link = await invite('otto.reed@example.com')
  await page.goto('/')
  await enterCredentials(page, eve)
  await expect(page.getByRole('banner')).toBeVisible()
  await page.goto(link)
  await expect(page.getByText(`${eve.email} is signed in in this browser`)).toBeVisible()
  await page.getByLabel('Your name').fill('Otto Reed')
  await passwordField(page, 'Password').fill('nine slow lanterns burn')
  await page.getByRole('button', { name: 'Register' }).click()
  await expect(page.getByRole('button', { name: 'Otto Reed, your menu' })).toBeVisible()
  await expect(page.getByText(eve.email)).toHaveCount(0)
})

test('a forgotten password is reset with a link that works once', async ({ page, trouble }) => {
  trouble.expect('403 POST /api/identity/v1/password-resets')
  const person = await makePerson('Milo', { accounts: [account] })
  await page.goto('/')
  await page.getByLabel('E-mail').fill(person.email)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await expect(page.getByRole('heading', { name: 'Forgot your password?' })).toBeVisible()
  await expect(page.getByLabel('E-mail')).toHaveValue(person.email)
  await expectPresentable(page)
  await page.getByLabel('E-mail').fill('milo@')
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription('Value is invalid!')
  await page.getByLabel('E-mail').fill(person.email)
  await page.getByRole('button', { name: 'Send the link' }).click()
  await expect(
    page.getByText(`If ${person.email} can sign in here, a message with a link is on its way.`),
  ).toBeVisible()
  await expectPresentable(page)

  const link = await linkTo(person.email, '/reset-password')
  // Links from earlier releases have the secret in the query.
  await page.goto(link.replace('#', '?'))
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible()
  await expect(page).toHaveURL('/reset-password')
  await page.goto('/')
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible()
  await expect(page).toHaveURL('/reset-password')
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible()
  await expect(passwordField(page)).toBeFocused()
  await passwordField(page).fill(person.email)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await expect(passwordField(page)).toHaveAccessibleDescription(/Your password must not contain your email/)
  await expectPresentable(page)
  const password = 'eleven tall chimneys smoke'
  await passwordField(page).fill(password)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await expect(page.getByText('Your password was changed. Sign in with the new one.')).toBeVisible()
  await expect(page.getByLabel('E-mail')).toHaveValue(person.email)
  await passwordField(page, 'Password').fill(password)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(addressIn(account, '/home'))

  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This link is not valid' })).toBeVisible()
  await expect(passwordField(page)).toHaveCount(0)
  await expect(page.getByRole('alert')).toContainText('It was already used, is older than an hour')
  await expectPresentable(page)
  await page.getByRole('link', { name: 'Request a new link' }).click()
  await expect(page.getByRole('heading', { name: 'Forgot your password?' })).toBeVisible()
})

test('a temporary password has to be replaced before anything else', async ({ page, trouble }) => {
  trouble.expect('403 POST /api/identity/v1/login', '400 POST /api/identity/v1/reset-password')
  const person = await makePerson('Ottilie Lamp', { accounts: [account], isMadeUp: true })
  await page.goto('/')
  await enterCredentials(page, person)
  await expect(page.getByRole('heading', { name: 'Choose your own password' })).toBeVisible()
  await expect(page).toHaveURL('/reset-password')
  await expectPresentable(page)
  await passwordField(page).fill(person.password)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await expect(passwordField(page)).toHaveAccessibleDescription(/Choose a password that differs from your current one/)
  const password = 'thirteen tall chimneys smoke'
  await passwordField(page).fill(password)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await expect(page.getByText('Your password was changed. Sign in with the new one.')).toBeVisible()
  await enterCredentials(page, { ...person, password })
  await expect(page).toHaveURL(addressIn(account, '/home'))
})
