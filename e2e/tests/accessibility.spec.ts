import { expectAccessible, expectAccessibleInBothSchemes } from '../accessibility.ts'
import {
  type Account,
  enterCredentials,
  expect,
  makeAccount,
  makePerson,
  openScreen,
  type Person,
  signIn,
  test,
} from '../portal.ts'
import { type Prepared, prepareAccount } from '../prepared.ts'
import { chooseFile, detailsOf, dialogOf, openNewImport, openStep, stepButton } from '../screens.ts'
import { contacts, csvFile } from '../contact-file.ts'

let prepared: Prepared
/** Has access to two empty accounts. */
let newcomer: Person
let empty: Account
let guest: Person

test.beforeAll(async () => {
  prepared = await prepareAccount('River Museum', 'Jonas')
  empty = await makeAccount('Silver Hotel')
  newcomer = await makePerson('Kira', { accounts: [empty, await makeAccount('Tulip Florist')] })
  guest = await makePerson('Luca', { accounts: [empty], mayNothing: true })
})

// Elements that fade in would be measured halfway.
test.use({ contextOptions: { reducedMotion: 'reduce' } })

test('sign-in and the choice of an account', async ({ page, trouble }) => {
  trouble.expect('401 POST /api/identity/v1/login')
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expectAccessibleInBothSchemes(page)
  await enterCredentials(page, { ...newcomer, password: 'wrong' })
  await expect(page.getByRole('alert')).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await enterCredentials(page, newcomer)
  await expect(page.getByRole('list', { name: 'Accounts' })).toBeVisible()
  await expectAccessibleInBothSchemes(page)
})

test('an empty account, and the shell', async ({ page }) => {
  await signIn(page, guest)
  await expectAccessibleInBothSchemes(page)
  await page.goto('/contact-service/imports')
  await expect(page.getByRole('heading', { name: 'You may not open this' })).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'Logout' }).click()

  await enterCredentials(page, newcomer)
  await page.getByRole('list', { name: 'Accounts' }).getByRole('button').first().click()
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'List Service' }).click()
  await expect(page.getByText('No imports are available.')).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await openScreen(page, 'Exports')
  await expect(page.getByText('No exports are available.')).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await openScreen(page, 'Search & Analyze')
  await expect(page.getByText('No contacts are available.')).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('combobox', { name: 'Account' }).click()
  await expect(page.getByRole('option').first()).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: /, your menu$/ }).click()
  await expectAccessibleInBothSchemes(page)
  await page.goto('/contact-service/nowhere')
  await page.getByRole('button', { name: 'Collapse the side menu' }).click()
  await expectAccessibleInBothSchemes(page)
})

test('imports', async ({ page }) => {
  await signIn(page, prepared.person)
  await expect(page.getByText('Spring leads')).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'FILTERS' }).click()
  await page.getByRole('button', { name: 'Expand Spring leads' }).click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ Created: '60' })
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'Actions for Spring leads' }).click()
  await expect(page.getByRole('menu')).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Expand Doubtful leads' }).click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ Created: '0' })
  await page.getByLabel('Name contains').fill('no such import')
  await expect(page.getByText('No matching imports found.')).toBeVisible()
  await expectAccessibleInBothSchemes(page)
})

test('the New Import dialog', async ({ page }) => {
  await signIn(page, newcomer, empty)
  const dialog = await openNewImport(page)
  await expectAccessibleInBothSchemes(page)
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(stepButton(dialog, 'File')).toHaveAccessibleName('File (has errors)')
  await expectAccessibleInBothSchemes(page)
  await chooseFile(page, dialog, 'leads.csv', csvFile(contacts(2)))
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('First leads')
  await openStep(dialog, 'Match')
  await expect(dialog.getByRole('table', { name: 'File columns' })).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await openStep(dialog, 'Options')
  await dialog.getByRole('tab', { name: 'Main Info' }).click()
  await expectAccessibleInBothSchemes(page)
  for (const tab of ['PURL Columns', 'Dedup Columns']) {
    await dialog.getByRole('tab', { name: tab }).click()
    await dialog.getByRole('combobox', { name: tab }).click()
    await page.getByRole('option', { name: 'Email' }).click()
    await expectAccessibleInBothSchemes(page)
  }
})

test('contacts and their events', async ({ page }) => {
  await signIn(page, prepared.person)
  await openScreen(page, 'Search & Analyze')
  await page.getByRole('button', { name: 'Expand Ada Abbott' }).first().click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ Email: 'person.1@example.com' })
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'Events (2)' }).click()
  await dialogOf(page, 'Events').getByRole('button', { name: 'Expand event 2' }).click()
  await expect.poll(() => detailsOf(dialogOf(page, 'Events'))).toMatchObject({ event_path: '/spring' })
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'FILTERS' }).click()
  await page.getByRole('button', { name: 'Add condition' }).click()
  await page.getByRole('combobox', { name: 'Field of condition 1' }).click()
  await expect(page.getByRole('option', { name: 'Email' })).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByLabel('Search records, screens, actions and accounts').fill('Help')
  await expect(page.getByRole('button', { name: 'Help Opens in a new tab' })).toHaveAttribute('data-selected', 'true')
  await expectAccessibleInBothSchemes(page)
  await page.keyboard.press('Escape')
  await page.getByLabel('Search contacts').fill('no such contact')
  await expect(page.getByText('No matching contacts found.')).toBeVisible()
  await expectAccessibleInBothSchemes(page)
})

test('exports, and the New Export dialog', async ({ page }) => {
  await signIn(page, prepared.person)
  await openScreen(page, 'Exports')
  await page.getByRole('button', { name: 'Expand Everybody' }).click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ 'Total Records': '60' })
  await expectAccessibleInBothSchemes(page)
  await page.getByRole('button', { name: 'NEW EXPORT' }).click()
  const dialog = dialogOf(page, 'New Export')
  await expect(dialog.getByText('60 records')).toBeVisible()
  await expectAccessibleInBothSchemes(page)
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(dialog.getByRole('textbox', { name: 'Export Name' })).toHaveAccessibleDescription('Value is required!')
  await expectAccessibleInBothSchemes(page)
  await dialog.getByRole('combobox', { name: /^Fields to export/ }).click()
  await expect(page.getByRole('option', { name: 'purl', exact: true })).toBeVisible()
  await expectAccessibleInBothSchemes(page)
})

test('the menu on a narrow screen', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await signIn(page, newcomer, empty)
  await page.getByRole('button', { name: 'Open the menu' }).click()
  await expect(dialogOf(page, 'Menu')).toBeVisible()
  await expectAccessibleInBothSchemes(page)
})

test('the check itself detects a fault on the page, one only in dark mode, and one in a frame', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  const put = (html: string) =>
    page.getByRole('main').evaluate((main, text) => {
      document.querySelector('[data-fault]')?.remove()
      main.insertAdjacentHTML('beforeend', `<div data-fault>${text}</div>`)
    }, html)
  await put('<img src="">')
  await expect(expectAccessible(page)).rejects.toThrow('image-alt')
  await put('<p style="color: #444; background: var(--mantine-color-body)">Gray</p>')
  await expectAccessible(page)
  await expect(expectAccessibleInBothSchemes(page)).rejects.toThrow('color-contrast')
  await page.emulateMedia({ colorScheme: 'light' })
  await put('<iframe title="Inner" srcdoc="<html lang=en><title>Inner</title><button></button>"></iframe>')
  await expect(page.frameLocator('iframe').getByRole('button')).toBeAttached()
  await expect(expectAccessible(page)).rejects.toThrow('button-name')
})
