import type { Page } from '@playwright/test'
import { contacts, csvFile } from '../contact-file.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { type Prepared, prepareAccount } from '../prepared.ts'
import { chooseFile, detailsOf, dialogOf, expectNoSideScroll, openNewImport, openStep, rowOf } from '../screens.ts'

let prepared: Prepared
let other: Account
let mona: Person

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true })

test.beforeAll(async () => {
  prepared = await prepareAccount('Upland Cheese', 'Nils')
  other = await makeAccount('Valley Wines')
  mona = await makePerson('Mona', { accounts: [prepared.account, other] })
})

/** Opens a screen from the menu of narrow screens. */
async function openByMenu(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Open the menu' }).click()
  await dialogOf(page, 'Menu').getByRole('link', { name }).click()
  await expect(dialogOf(page, 'Menu')).toBeHidden()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
}

test('the menu leads to every screen, and none is wider than the window', async ({ page }) => {
  await page.goto('/')
  await expectNoSideScroll(page)
  await signIn(page, mona, prepared.account)
  await expect(page.getByRole('navigation', { name: 'Main' })).toBeHidden()
  await expect(page.getByRole('banner')).toContainText(prepared.account.name)

  await expect(rowOf(page, 'Spring leads').getByText('completed').first()).toBeInViewport({ ratio: 1 })
  await page.getByRole('button', { name: 'Expand Spring leads' }).click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ Created: '60' })
  await expectNoSideScroll(page)
  await openByMenu(page, 'Exports')
  await page.getByRole('button', { name: 'Expand Everybody' }).click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ 'Total Records': '60' })
  await expectNoSideScroll(page)
  await expect(page.getByRole('button', { name: 'Download Everybody' })).toBeInViewport()
  await openByMenu(page, 'Search & Analyze')
  await page.getByRole('button', { name: 'Expand Ada Abbott' }).first().click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ Email: 'person.1@example.com' })
  await expectNoSideScroll(page)
  await page.getByRole('button', { name: 'Events (2)' }).click()
  await expect(rowOf(page, 'click')).toBeVisible()
  await expectNoSideScroll(page)
})

test('the menu switches the account and the theme', async ({ page }) => {
  await signIn(page, mona, prepared.account)
  await page.getByRole('button', { name: 'Open the menu' }).click()
  const menu = dialogOf(page, 'Menu')
  await menu.getByText('Dark', { exact: true }).click()
  await expect(menu.getByRole('radio', { name: 'Dark' })).toBeChecked()
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark')
  await menu.getByRole('combobox', { name: 'Account' }).click()
  await page.getByRole('option', { name: other.name }).click()
  await expect(menu).toBeHidden()
  await expect(page.getByRole('banner')).toContainText(other.name)
  await expect(page.getByText('No imports are available.')).toBeVisible()
})

test('a file is chosen, described and submitted', async ({ page }) => {
  await signIn(page, mona, other)
  const dialog = await openNewImport(page)
  await expectNoSideScroll(page)
  await expect(dialog.getByRole('button', { name: 'Submit' })).toBeInViewport()
  await chooseFile(page, dialog, 'leads of the spring fair.csv', csvFile(contacts(3)))
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('Spring fair')
  await openStep(dialog, 'Match')
  await expect(dialog.getByRole('table', { name: 'File columns' })).toBeVisible()
  await expect(dialog.getByRole('combobox', { name: 'Type of First Name' })).toBeInViewport({ ratio: 1 })
  await expectNoSideScroll(page)
  await openStep(dialog, 'Options')
  await dialog.getByRole('switch', { name: 'Generate PURL' }).uncheck()
  await expectNoSideScroll(page)
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(rowOf(page, 'Spring fair').getByText('completed')).toBeVisible({ timeout: 60_000 })
  await openByMenu(page, 'Exports')
  await page.getByRole('button', { name: 'NEW EXPORT' }).click()
  const newExport = dialogOf(page, 'New Export')
  await newExport.getByRole('button', { name: 'Edit filter' }).click()
  const filter = dialogOf(page, 'Filter')
  await filter.getByRole('button', { name: 'Add condition' }).click()
  await expectNoSideScroll(page)
  await expect(filter.getByRole('combobox', { name: 'Field of condition 1' })).toBeInViewport()
})
