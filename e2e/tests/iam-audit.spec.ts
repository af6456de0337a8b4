import { readFile } from 'node:fs/promises'
import { expectPresentable, openIamScreen, powerAdmin } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'

let tower: Account
let bridge: Account
let tessa: Person
let bruno: Person

test.beforeAll(async () => {
  tower = await makeAccount('Tower Hotels')
  bridge = await makeAccount('Bridge Inns')
  tessa = await makePerson('Tessa', { accounts: [tower] })
  bruno = await makePerson('Bruno', { accounts: [bridge] })
})

test('the audit log of the account is listed, filtered, opened and exported', async ({ page }) => {
  await signIn(page, tessa, undefined, '/iam/preferences')
  await page.getByRole('combobox', { name: 'Who sees CRM' }).click()
  await page.getByRole('option', { name: 'Off', exact: true }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Preferences were updated.')).toBeVisible()

  await openIamScreen(page, 'Audit')
  await expect(page.getByRole('switch', { name: 'All accounts' })).toBeHidden()
  const log = page.getByRole('region', { name: 'Audit log' })
  await expect(log).not.toContainText(bruno.email)
  await page.getByRole('textbox', { name: 'Who' }).fill(tessa.email.toUpperCase())
  await page.getByRole('textbox', { name: 'What' }).fill('preference')
  await page.keyboard.press('Enter')
  await expect(page.getByText('1 entry', { exact: true })).toBeVisible()
  await expect(log.getByRole('row').nth(1)).toContainText('127.0.0.1')
  await page.getByRole('button', { name: /^Expand preferences/ }).click()
  await expectPresentable(page)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split(/\r?\n/)
  expect(lines).toHaveLength(2)
  expect(lines[1]).toContain(tessa.email)

  await page.getByLabel('To', { exact: true }).fill('2020-01-01T00:00')
  await expect(page.getByText('No matching entries found.')).toBeVisible()
  await page.getByLabel('From', { exact: true }).fill('2021-01-01T00:00')
  await expect(page.getByLabel('To', { exact: true })).toHaveAccessibleDescription('Value is invalid!')
  await page.reload()
  await expect(page.getByLabel('To', { exact: true })).toHaveValue('2020-01-01T00:00')
  await page.getByRole('button', { name: 'Show all entries' }).click()
  await expect(log.getByRole('row').nth(1)).toBeVisible()
})

test('power admins see the audit log of all accounts', async ({ page }) => {
  await signIn(page, powerAdmin, tower, '/iam/home')
  await openIamScreen(page, 'Audit')
  const log = page.getByRole('region', { name: 'Audit log' })
  await expect(log.getByRole('row').nth(1)).toBeVisible()
  await page.getByRole('textbox', { name: 'What' }).fill(bruno.email)
  await page.keyboard.press('Enter')
  await expect(page.getByText('No matching entries found.')).toBeVisible()
  await page.getByRole('switch', { name: 'All accounts' }).press('Space')
  await expect(log.getByRole('cell', { name: bridge.name }).first()).toBeVisible()
})
