import { type Access, accessOf } from '../access.ts'
import { expectPresentable, powerAdmin } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { detailsOf, dialogOf, rowOf } from '../screens.ts'

let account: Account
let greta: Person
let access: Access

test.beforeAll(async () => {
  account = await makeAccount('Glass Works')
  greta = await makePerson('Gretel', { accounts: [account] })
  access = await accessOf(powerAdmin, account)
  await access.makePolicy('Glass reports', ['bi::reports::get'])
  await access.makePolicy('Glass crons', ['scheduler::crons::get'])
})

test('a group is created, gets policies, and is deleted', async ({ page }) => {
  await signIn(page, powerAdmin, account, '/iam/groups?search=glass')
  await page.getByRole('button', { name: 'NEW GROUP' }).click()
  const form = dialogOf(page, 'New Group')
  await form.getByRole('textbox', { name: 'Name' }).fill('Blow')
  await expect(form.getByText('Min 5 characters!')).toBeVisible()
  await form.getByRole('textbox', { name: 'Name' }).fill('Glass blowers')
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(form.getByText('Value is required!')).toBeVisible()
  await form.getByRole('combobox', { name: /^Policies/ }).fill('glass rep')
  await page.getByRole('option', { name: 'Glass reports' }).click()
  // Admin policies are for admin groups.
  await form.getByRole('combobox', { name: /^Policies/ }).fill('Administration')
  await expect(page.getByText('Nothing found for "Administration"')).toBeVisible()
  await form.getByRole('textbox', { name: 'Name' }).focus()
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText("'Glass blowers' was created.")).toBeVisible()
  await expect(rowOf(page, 'Glass blowers')).toContainText('Glass reportsGlobalNo')

  await page.getByRole('checkbox', { name: 'Select Glass blowers' }).check()
  await page.getByRole('button', { name: 'Add policies' }).click()
  const add = dialogOf(page, 'Add policies to groups')
  await add.getByRole('combobox', { name: /^Policies/ }).fill('glass')
  await page.getByRole('option', { name: 'Glass crons' }).click()
  await add.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('1 group updated.')).toBeVisible()
  await page.getByRole('button', { name: 'Expand Glass blowers' }).click()
  await expect
    .poll(() => detailsOf(page))
    .toMatchObject({ Level: 'Global', 'Policies (2)': 'Glass crons\nGlass reports' })
  await expectPresentable(page)

  await page.getByRole('button', { name: 'Delete Glass blowers' }).click()
  await dialogOf(page, 'Delete group').getByRole('button', { name: 'No', exact: true }).click()
  await expect(page.getByText('Action cancelled.')).toBeVisible()
  await page.getByRole('button', { name: 'Delete Glass blowers' }).click()
  await dialogOf(page, 'Delete group').getByRole('button', { name: 'Yes, delete' }).click()
  await expect(page.getByText('1 group deleted.')).toBeVisible()
  await expect(page.getByText('No matching groups found.')).toBeVisible()
})

test('the group everyone cannot be deleted or added to identities', async ({ page }) => {
  await signIn(page, powerAdmin, account, '/iam/groups')
  await page.getByRole('button', { name: 'Delete everyone' }).hover()
  await expect(page.getByRole('tooltip')).toHaveText('Everyone belongs to this group.')
  await page.getByRole('checkbox', { name: 'Select everyone' }).check()
  await page.getByRole('button', { name: 'Add to identities' }).hover()
  await expect(page.getByRole('tooltip')).toHaveText("Everyone belongs to 'everyone' already.")
})

test('a power user adds groups to identities by email', async ({ page }) => {
  await access.makeGroup('Glass cutters', [await access.makePolicy('Glass exports', ['contact-service::exports::get'])])
  await signIn(page, greta, undefined, '/iam/groups')
  await expect(page.getByRole('button', { name: 'NEW GROUP' })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Edit Glass cutters' })).toHaveCount(0)
  await page.getByRole('checkbox', { name: 'Select Glass cutters' }).check()
  await page.getByRole('button', { name: 'Add to identities' }).click()
  const dialog = dialogOf(page, 'Add groups to identities')
  await expectPresentable(page)
  await dialog.getByRole('combobox', { name: /^Identities/ }).click()
  await page.getByRole('option', { name: greta.email }).click()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByText('1 identity updated.')).toBeVisible()
  await page.goto('/iam/identities')
  await expect(rowOf(page, greta.email)).toContainText('Glass cutters, Power users')
})
