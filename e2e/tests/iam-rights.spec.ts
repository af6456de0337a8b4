import { accessOf } from '../access.ts'
import { expectAccessible } from '../accessibility.ts'
import { expectPresentable, openIamScreen, powerAdmin } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, dialogOf } from '../screens.ts'

let account: Account
let reader: Person

test.beforeAll(async () => {
  account = await makeAccount('Elderflower Rights')
  reader = await makePerson('Rhea', { accounts: [account], mayNothing: true })
  const access = await accessOf(powerAdmin, account)
  const policy = await access.makePolicy('elderflower reading', ['contact-service::*::get', 'bi::dashboards::*'])
  const group = await access.makeGroup('elderflower readers', [policy])
  const chief = await makePerson('Chief Elder', { accounts: [account] })
  await (await accessOf(chief, account)).changeGroups(reader.email, [group])
})

test('the opened row of an identity lists all that its person may do, by area, with the policies', async ({ page }) => {
  const chief = await makePerson('Ruben', { accounts: [account] })
  await signIn(page, chief, account, '/iam/identities')
  await page.getByRole('button', { name: `Expand ${reader.email}` }).click()
  await page.getByRole('button', { name: 'Show rights' }).click()
  const contacts = page.getByRole('region', { name: /^Contacts \d of 4$/ })
  await expect(contacts).toContainText('Search and view contacts')
  await expect(contacts).toContainText(
    "By the policy 'elderflower reading', from elderflower readers: contact-service::*::get",
  )
  await expect(contacts).toContainText('May not: Add contacts, Edit contacts, Delete contacts in bulk.')
  await expect(page.getByRole('region', { name: 'Dashboards 4 of 4' })).toBeVisible()
  await expectPresentable(page)
})

test('Who Can lists the people who may do something, and why', async ({ page }) => {
  const chief = await makePerson('Rosa', { accounts: [account] })
  await signIn(page, chief, account, '/iam/identities')
  await openIamScreen(page, 'Who Can…?')
  await expect(page.getByText('No action is chosen.')).toBeVisible()
  await expectPresentable(page)
  const select = page.getByRole('combobox', { name: 'Who may do this?' })
  await select.fill('search and view')
  await page.getByRole('option', { name: 'Search and view contacts' }).click()
  await expect(page).toHaveURL(/action=contact-service/)
  const row = page.getByRole('row').filter({ hasText: reader.email })
  await expect(row).toContainText('Always')
  await expect(row).toContainText('elderflower reading')
  await expect(page.getByRole('row').filter({ hasText: chief.email })).toContainText('power user')
  await page.getByRole('button', { name: `Expand ${reader.email}` }).click()
  await expect(page.getByText("By the policy 'elderflower reading', from elderflower readers")).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  expect((await download).suggestedFilename()).toBe('who-can-contact-service-offers-get.csv')
  await expectPresentable(page)
  await select.fill('delete contacts')
  await page.getByRole('option', { name: 'Delete contacts in bulk' }).click()
  await expect(row).toHaveCount(0)
})

test('a new policy starts from a template, and gets an action by its name', async ({ page }) => {
  await signIn(page, powerAdmin, account, '/iam?route=policies')
  await page.getByRole('button', { name: 'NEW POLICY' }).click()
  const form = dialogOf(page, 'New Policy')
  await choose(page, form.getByRole('combobox', { name: 'Template' }), 'Importer')
  await expect(form.getByRole('textbox', { name: 'Name' })).toHaveValue('Importer')
  await form.getByRole('textbox', { name: 'Name' }).fill('elderflower imports')
  await form.getByRole('combobox', { name: 'Add by area' }).fill('undo')
  await page.getByRole('option', { name: 'Undo imports' }).click()
  await expect(form.getByRole('listitem').filter({ hasText: 'contact-service::imports::delete' })).toBeVisible()
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText("'elderflower imports' was created.")).toBeVisible()
})
