import { expectPresentable, openIamScreen, powerAdmin } from '../iam-area.ts'
import { type Account, accountPicker, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { dialogOf, rowOf } from '../screens.ts'

let castle: Account
let carla: Person

test.beforeAll(async () => {
  castle = await makeAccount('Castle Tours')
  carla = await makePerson('Carla', { accounts: [castle] })
})

test('power admins create, manage and enter accounts', async ({ page }) => {
  await signIn(page, powerAdmin, castle, '/iam/home')
  await openIamScreen(page, 'Accounts')
  await expectPresentable(page)
  await page.getByRole('button', { name: 'NEW ACCOUNT' }).click()
  const dialog = dialogOf(page, 'New Account')
  const name = dialog.getByRole('textbox', { name: 'Name' })
  await name.fill(castle.name.toUpperCase())
  await expect(name).toHaveAccessibleDescription('Value is duplicate!')
  await expectPresentable(page)
  await name.fill('Moat Rides North')
  await dialog.getByRole('combobox', { name: 'Parent account' }).fill(castle.name)
  await page.getByRole('option', { name: castle.name, exact: true }).click()
  await dialog.getByRole('combobox', { name: 'Time zone' }).fill('Zurich')
  await page.getByRole('option', { name: 'Europe/Zurich' }).click()
  await dialog.getByRole('textbox', { name: 'First power user' }).fill('norman@example.com')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText("'Moat Rides North' was created.")).toBeVisible()
  await page.getByRole('textbox', { name: 'Search accounts' }).fill('moat')
  const row = rowOf(page, 'Moat Rides North')
  await expect(row).toContainText('Europe/Zurich')
  await expect(row).toContainText('norman@example.com')

  await page.getByRole('button', { name: 'Add a power user to Moat Rides North' }).click()
  await page.getByRole('textbox', { name: 'E-mail' }).fill('nadia@example.com')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(row).toContainText('and 1 more')

  await page.getByRole('button', { name: 'Edit Moat Rides North' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Moat Rides Isles')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText("'Moat Rides Isles' was updated.")).toBeVisible()

  await page.getByRole('button', { name: 'Enter Moat Rides Isles' }).click()
  await expect(accountPicker(page)).toHaveValue('Moat Rides Isles')
})

test('an account is suspended and resumed by typing its name', async ({ page, browser }) => {
  await signIn(page, powerAdmin, castle, '/iam/accounts')
  await page.getByRole('textbox', { name: 'Search accounts' }).fill(castle.name)
  await page.getByRole('button', { name: `Suspend ${castle.name}`, exact: true }).click()
  const suspend = dialogOf(page, `Suspend ${castle.name}`)
  const button = suspend.getByRole('button', { name: 'Suspend' })
  await expect(suspend.getByRole('textbox')).toBeFocused()
  await expect(button).toBeDisabled()
  await suspend.getByRole('textbox').fill('Castle')
  await expect(button).toBeDisabled()
  await suspend.getByRole('textbox').fill(castle.name)
  await expectPresentable(page)
  await button.click()
  await expect(page.getByText(`'${castle.name}' was suspended.`)).toBeVisible()
  await expect(rowOf(page, castle.name).first()).toContainText('suspended')

  const other = await (await browser.newContext()).newPage()
  await other.goto('/')
  await other.getByLabel('E-mail').fill(carla.email)
  await other.getByLabel('Password', { exact: true }).fill(carla.password)
  await other.getByRole('button', { name: 'Sign in' }).click()
  await expect(other.getByRole('alert')).toBeVisible()
  await other.context().close()

  await page.getByRole('button', { name: `Resume ${castle.name}`, exact: true }).click()
  const resume = dialogOf(page, `Resume ${castle.name}`)
  await resume.getByRole('textbox').fill(castle.name)
  await page.keyboard.press('Enter')
  await expect(page.getByText(`'${castle.name}' was resumed.`)).toBeVisible()
})

test('power users do not see the list of accounts', async ({ page }) => {
  await signIn(page, carla, undefined, '/iam/home')
  await expect(page.getByRole('list', { name: 'What you can do here' })).toBeVisible()
  await expect(page.getByRole('link', { name: /^Accounts/ })).toHaveCount(0)
  await page.goto('/iam/accounts')
  await expect(page.getByRole('heading', { level: 1, name: 'Accounts' })).toBeHidden()
})
