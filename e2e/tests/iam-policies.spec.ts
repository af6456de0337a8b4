import { type Access, accessOf } from '../access.ts'
import { expectAccessible } from '../accessibility.ts'
import { expectPresentable, powerAdmin } from '../iam-area.ts'
import { chooseByKeys } from '../keyboard.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, detailsOf, dialogOf, rowOf } from '../screens.ts'

let account: Account
let pia: Person
let guest: Person
let access: Access

test.beforeAll(async () => {
  account = await makeAccount('Quince Policies')
  pia = await makePerson('Pia', { accounts: [account] })
  guest = await makePerson('Guido', { accounts: [account], mayNothing: true })
  access = await accessOf(powerAdmin, account)
})

test('a policy is created by keyboard alone, duplicated, changed and deleted', async ({ page }) => {
  await signIn(page, powerAdmin, account, '/iam?route=policies')
  await page.getByRole('button', { name: 'NEW POLICY' }).focus()
  await page.keyboard.press('Enter')
  const form = dialogOf(page, 'New Policy')
  await expect(form.getByRole('textbox', { name: 'Name' })).toBeFocused()
  await page.keyboard.type('cs-orchard imports')
  for (const [label, option] of [
    ['Microservice', 'contact-service'],
    ['Resource', 'imports'],
    ['Method', 'get'],
  ] as const) {
    const select = form.getByRole('combobox', { name: label })
    await chooseByKeys(page, select, option)
    await expect(select).toHaveValue(option)
  }
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(form.getByRole('listitem')).toContainText('View importscontact-service::imports::get')
  await form.getByRole('textbox', { name: 'Name' }).focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText("'cs-orchard imports' was created.")).toBeVisible()
  await expect(page.getByRole('button', { name: 'NEW POLICY' })).toBeFocused()

  const search = page.getByRole('textbox', { name: 'Search policies' })
  await search.fill('orchard')
  await expect(page).toHaveURL(/search=orchard/)
  await page.getByRole('button', { name: 'Expand cs-orchard imports' }).click()
  await expect
    .poll(() => detailsOf(page))
    .toMatchObject({
      Level: 'Global',
      'Actions (1)': expect.stringContaining('contact-service::imports::get') as unknown as string,
      'Conditions (0)': 'Always.',
    })

  await page.getByRole('checkbox', { name: 'Select cs-orchard imports' }).check()
  await page.getByRole('button', { name: 'Duplicate' }).click()
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(form.getByText('A policy with this name exists already!')).toBeVisible()
  await form.getByRole('textbox', { name: 'Name' }).fill('cs-orchard exports')
  await form.getByRole('button', { name: 'Edit action 1' }).click()
  await choose(page, form.getByRole('combobox', { name: 'Resource' }), 'exports')
  await form.getByRole('button', { name: 'Change action' }).click()
  for (const value of ['7', '8']) {
    await choose(page, form.getByRole('combobox', { name: 'Option' }), 'param')
    await choose(page, form.getByRole('combobox', { name: 'Operator' }), 'neq')
    await form.getByRole('textbox', { name: 'Value' }).fill(value)
    await form.getByRole('button', { name: 'Add condition' }).click()
  }
  await form.getByRole('switch', { name: 'Joint logic' }).uncheck()
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText("'cs-orchard exports' was created.")).toBeVisible()

  await page.getByRole('button', { name: 'Edit cs-orchard exports' }).click()
  const edit = dialogOf(page, 'Edit Policy')
  await expect(edit.getByRole('switch', { name: 'Joint logic' })).not.toBeChecked()
  await edit.getByRole('button', { name: 'Delete condition 1' }).click()
  await dialogOf(page, 'Delete condition').getByRole('button', { name: 'Yes, delete it' }).click()
  await expect(edit.getByText('param::0::neq::8')).toBeVisible()
  await page.keyboard.press('Escape')
  await dialogOf(page, 'Unsaved changes').getByRole('button', { name: 'Stay' }).click()
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText("'cs-orchard exports' was updated.")).toBeVisible()

  await page.getByRole('checkbox', { name: 'Select all rows shown' }).check()
  await page.getByRole('button', { name: 'Delete selected' }).click()
  await dialogOf(page, 'Delete 2 policies').getByRole('button', { name: 'Yes, delete' }).click()
  await expect(page.getByText('2 policies deleted.')).toBeVisible()
  await expect(page.getByText('No matching policies found.')).toBeVisible()
})

test('policies are added to groups, and policies in use cannot be deleted', async ({ page }) => {
  const one = await access.makePolicy('Pear policy', ['bi::reports::get'])
  await access.makePolicy('Plum policy', ['bi::dashboards::get'])
  await access.makeGroup('Pear team', [one])
  await access.makeGroup('Plum team', [await access.makePolicy('Fig policy', ['bi::*::get'])])
  await signIn(page, powerAdmin, account, '/iam/policies?search=pear')
  await page.getByRole('checkbox', { name: 'Select Pear policy' }).check()
  await expect(page.getByRole('button', { name: 'Delete selected' })).toHaveAttribute('aria-disabled', 'true')
  // With the keyboard as well.
  await page.getByRole('button', { name: 'Edit Pear policy' }).focus()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('tooltip')).toHaveText('Used by Pear team.')
  await page.getByRole('button', { name: 'Add to groups' }).click()
  const dialog = dialogOf(page, 'Add policies to groups')
  await dialog.getByRole('combobox', { name: /^Groups/ }).click()
  for (const name of ['Pear team', 'Plum team']) await page.getByRole('option', { name, exact: true }).click()
  await expect(page.getByRole('option', { name: 'everyone' })).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  const result = dialogOf(page, 'Result')
  await expect(result).toContainText('Pear teamalready has all selected policies.')
  await expect(result).toContainText('Following groups were updated:Plum team')
  await expectAccessible(page)
  await result.getByRole('button', { name: 'OK' }).click()
  await page.goto('/iam/groups?search=plum')
  await expect(rowOf(page, 'Plum team')).toContainText('Fig policy, Pear policy')
})

test('power users see policies read-only, and others see that they are not authorized', async ({ page }) => {
  await signIn(page, pia, undefined, '/iam/policies')
  await expect(page.getByText(/Only power admins can create and edit policies\./)).toBeVisible()
  await expect(page.getByRole('table').getByRole('checkbox')).toHaveCount(0)
  await expect(page.getByRole('rowheader', { name: 'Administration' })).toHaveCount(0)
  await expect(page.getByRole('rowheader', { name: 'Full access' })).toBeVisible()
  await page.getByRole('button', { name: 'Logout' }).click()
  await signIn(page, guest, undefined, '/iam/policies')
  await expect(page.getByText('Sorry, you are not authorized to access this page!')).toBeVisible()
  await expect
    .poll(() => detailsOf(page))
    .toEqual({ 'Power Admin': 'No', 'Power User': 'No', 'Parent Account': 'None' })
  await expect(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Identity & Access' }),
  ).toHaveCount(0)
})

test('the area opens at the last page viewed, or at the page in the address', async ({ page }) => {
  await signIn(page, pia, undefined, '/iam/groups')
  await expect(page.getByRole('textbox', { name: 'Search groups' })).toBeVisible()
  await page.goto('/iam')
  await expect(page).toHaveURL(/\/iam\/groups/)
  await page.goto('/iam?route=identities&search=pia')
  await expect(page.getByRole('heading', { level: 1, name: 'Identities' })).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Search identities' })).toHaveValue('pia')
  await expect(page.getByText('1 identity found')).toBeVisible()
})

test('the list and the dialog are accessible, light and dark, wide and narrow', async ({ page }) => {
  await signIn(page, powerAdmin, account, '/iam/policies')
  await page.getByRole('button', { name: 'Expand Full access' }).click()
  await page.getByRole('checkbox', { name: 'Select Full access' }).check()
  await expectPresentable(page)
  await page.getByRole('button', { name: 'NEW POLICY' }).click()
  await dialogOf(page, 'New Policy').getByRole('button', { name: 'Add condition' }).click()
  await dialogOf(page, 'New Policy').getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText('Please add one action.')).toBeVisible()
  await expectPresentable(page)
})
