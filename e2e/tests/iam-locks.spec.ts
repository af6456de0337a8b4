import { accessOf } from '../access.ts'
import { apiOf } from '../api.ts'
import { powerAdmin } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { dialogOf } from '../screens.ts'

// Actions that the forms of the identity area prevent.

let account: Account
let lars: Person
let ofSubAccount: Person

test.beforeAll(async () => {
  account = await makeAccount('Lock Museum')
  lars = await makePerson('Lars', { accounts: [account] })
  const made = await (
    await apiOf(powerAdmin, account)
  ).post<{ Key: number; Value: string }>('/identity/v1/accounts', {
    name: `Key shop ${account.id}`,
    parent: account.id,
  })
  ofSubAccount = await makePerson('Signe', { accounts: [{ id: made.Key, name: made.Value }] })
  const access = await accessOf(powerAdmin, account)
  await access.makeGroup('Lock readers', [await access.makePolicy('Lock reading', ['contact-service::offers::get'])])
})

test('Is Admin can only be chosen when creating a policy or group', async ({ page }) => {
  await signIn(page, powerAdmin, account, '/iam/policies?search=lock')
  await page.getByRole('button', { name: 'NEW POLICY' }).click()
  await expect(dialogOf(page, 'New Policy').getByRole('switch', { name: 'Is Admin' })).toBeEnabled()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Edit Lock reading' }).click()
  await expect(dialogOf(page, 'Edit Policy').getByRole('switch', { name: 'Is Admin' })).toBeDisabled()
  await page.goto('/iam/groups?search=lock')
  await page.getByRole('button', { name: 'Edit Lock readers' }).click()
  await expect(dialogOf(page, 'Edit Group').getByRole('switch', { name: 'Is Admin' })).toBeDisabled()
})

test('the last action of a policy cannot be deleted, and adding policies requires a group', async ({ page }) => {
  await signIn(page, powerAdmin, account, '/iam/policies?search=lock')
  await page.getByRole('button', { name: 'Edit Lock reading' }).click()
  const form = dialogOf(page, 'Edit Policy')
  await expect(form.getByRole('button', { name: 'Delete action 1' })).toHaveAttribute('aria-disabled', 'true')
  await page.keyboard.press('Escape')
  await page.getByRole('checkbox', { name: 'Select Lock reading' }).check()
  await page.getByRole('button', { name: 'Add to groups' }).click()
  const dialog = dialogOf(page, 'Add policies to groups')
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByText('Value is required!')).toBeVisible()
})

test('admin policies and groups cannot be combined with others', async ({ page }) => {
  const mixed = async (button: string, reason: string): Promise<void> => {
    // With the keyboard, which also reaches disabled actions.
    await page.getByRole('button', { name: button }).press('Enter')
    await expect(page.getByRole('tooltip')).toHaveText(reason)
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }
  await signIn(page, powerAdmin, account, '/iam/policies')
  for (const name of ['Administration', 'Full access'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  await mixed('Add to groups', 'Admin and other policies cannot be added to groups together.')
  await page.goto('/iam/groups')
  for (const name of ['Administrators', 'Power users'])
    await page.getByRole('checkbox', { name: `Select ${name}` }).check()
  await mixed('Add to identities', 'Admin and other groups cannot be added to identities together.')
})

test('access to all subaccounts is offered only where there can be some', async ({ page }) => {
  const offer = dialogOf(page, 'New Identity').getByRole('checkbox', { name: 'Access to All Subaccounts' })
  await signIn(page, lars, undefined, '/iam/identities')
  await page.getByRole('button', { name: 'NEW IDENTITY' }).click()
  await expect(offer).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Logout' }).click()
  await signIn(page, ofSubAccount, undefined, '/iam/identities')
  await page.getByRole('button', { name: 'NEW IDENTITY' }).click()
  await expect(dialogOf(page, 'New Identity').getByRole('textbox', { name: 'Email' })).toBeVisible()
  await expect(offer).toHaveCount(0)
})
