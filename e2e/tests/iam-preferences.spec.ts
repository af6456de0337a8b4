import type { Locator, Page } from '@playwright/test'
import { expectPresentable, openIamScreen } from '../iam-area.ts'
import { accountPicker, type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { dialogOf } from '../screens.ts'

let orchard: Account
let shop: Account
let paula: Person
let peter: Person

test.beforeAll(async () => {
  orchard = await makeAccount('Orchard Press')
  shop = await makeAccount('Orchard Shop')
  paula = await makePerson('Paula', { accounts: [orchard, shop] })
  peter = await makePerson('Peter', { accounts: [orchard] })
})

const mainEntry = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true })

async function choose(page: Page, menu: string, audience: string): Promise<void> {
  await page.getByRole('combobox', { name: `Who sees ${menu}` }).click()
  await page.getByRole('option', { name: audience, exact: true }).click()
}

test('changed preferences show and hide menus immediately', async ({ page }) => {
  await signIn(page, paula, orchard, '/iam/home')
  await openIamScreen(page, 'Preferences')
  await expect(page.getByRole('combobox', { name: 'Who sees Home' })).toBeDisabled()
  await expect(mainEntry(page, 'CRM')).toBeVisible()
  await expect(mainEntry(page, 'List Service')).toBeVisible()
  await choose(page, 'CRM', 'Off')
  await choose(page, 'List Service', 'Only these e-mails')
  const emails = page.getByRole('textbox', { name: 'E-mails for List Service' })
  await emails.fill(`${peter.email}, bob@example.com`)
  await expect(emails).toHaveAccessibleDescription('Invalid email or format given')
  await emails.fill(`${peter.email},${peter.email.toUpperCase()}`)
  await expect(emails).toHaveAccessibleDescription('Duplicate value detected')
  await expectPresentable(page)
  await emails.fill(peter.email)
  await page.getByRole('tab', { name: 'Session' }).click()
  await expect(page.getByRole('combobox', { name: 'Timeout' })).toHaveValue('30 minutes')
  await page.getByRole('combobox', { name: 'Timeout' }).click()
  await page.getByRole('option', { name: '90 minutes' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Preferences were updated.')).toBeVisible()
  await expect(mainEntry(page, 'CRM')).toBeHidden()
  await expect(mainEntry(page, 'List Service')).toBeHidden()

  await page.reload()
  await expect(page.getByRole('combobox', { name: 'Who sees CRM' })).toHaveValue('Off')
  await expect(emails).toHaveValue(peter.email)
  await page.getByRole('tab', { name: 'Session' }).click()
  await expect(page.getByRole('combobox', { name: 'Timeout' })).toHaveValue('90 minutes')
})

test('a menu limited to certain emails is shown to them and hidden from others', async ({ page }) => {
  await signIn(page, peter, undefined, '/iam/home')
  await expect(mainEntry(page, 'List Service')).toBeVisible()
  await expect(mainEntry(page, 'CRM')).toBeHidden()
})

test('resetting and leaving ask for confirmation', async ({ page }) => {
  await signIn(page, paula, orchard, '/iam/preferences')
  await choose(page, 'Market Intel', 'Off')
  await page.getByRole('navigation', { name: 'Identity & Access' }).getByRole('link', { name: 'Audit' }).click()
  await expect(dialogOf(page, 'Unsaved changes')).toContainText(
    'Do you really want to leave? you have unsaved changes!',
  )
  await page.keyboard.press('Escape')
  await accountPicker(page).click()
  await page.getByRole('option', { name: shop.name }).click()
  await dialogOf(page, 'Unsaved changes').getByRole('button', { name: 'Stay' }).click()
  await expect(accountPicker(page)).toHaveValue(orchard.name)
  await expect(page.getByRole('combobox', { name: 'Who sees Market Intel' })).toHaveValue('Off')
  await page.getByRole('button', { name: 'Reset' }).click()
  const question = dialogOf(page, 'Reset preferences')
  await expect(question).toContainText(
    'The form will reset and your unsaved changes will be lost. Do you still want to continue?',
  )
  await question.getByRole('button', { name: 'Yes, reset' }).click()
  await expect(page.getByRole('combobox', { name: 'Who sees Market Intel' })).toHaveValue('Everyone')
  await openIamScreen(page, 'Audit')
})
