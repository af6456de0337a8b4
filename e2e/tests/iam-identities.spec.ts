import { accessOf } from '../access.ts'
import { expectPresentable, powerAdmin } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, type Person, portalUrl, signIn, test } from '../portal.ts'
import { choose, detailsOf, dialogOf, rowOf } from '../screens.ts'

let account: Account
let ida: Person
let readers: string

test.beforeAll(async () => {
  account = await makeAccount('Ironworks')
  ida = await makePerson('Ida', { accounts: [account] })
  const access = await accessOf(powerAdmin, account)
  readers = await access.makeGroup('Iron readers', [
    await access.makePolicy('Iron reading', ['contact-service::offers::get']),
  ])
})

test('an identity is created with limits, invited again, disabled, enabled and deleted', async ({ page }) => {
  await signIn(page, ida, undefined, '/iam/identities')
  await page.getByRole('button', { name: 'NEW IDENTITY' }).click()
  const form = dialogOf(page, 'New Identity')
  await form.getByRole('textbox', { name: 'Email' }).fill(ida.email.toUpperCase())
  await expect(form.getByText('An identity with this e-mail exists already!')).toBeVisible()
  await form.getByRole('textbox', { name: 'Email' }).fill('ivan@example.com')
  await form.getByRole('combobox', { name: /^Groups/ }).fill('iron')
  await page.getByRole('option', { name: 'Iron readers' }).click()
  await form.getByRole('checkbox', { name: 'Saturday' }).focus()
  await page.keyboard.press('Space')
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(form.getByText('Value is required!')).toBeVisible()
  await choose(page, form.getByRole('combobox', { name: 'Days Effect' }), 'No access on these days')
  await form.getByRole('textbox', { name: /^CIDR/ }).fill('2001:db8::/129')
  await expect(form.getByText('Value is invalid!')).toBeVisible()
  await expectPresentable(page)
  await form.getByRole('textbox', { name: /^CIDR/ }).fill('2001:db8::/32')
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText("'ivan@example.com' was created. An invitation was sent.")).toBeVisible()

  const row = rowOf(page, 'ivan@example.com')
  await expect(row).toContainText('invited')
  await page.getByRole('button', { name: 'Expand ivan@example.com' }).click()
  await expect
    .poll(() => detailsOf(page))
    .toMatchObject({ Days: 'Not on Sat', CIDR: '2001:db8::/32', 'Policies of Iron readers': 'Iron reading' })
  const more = async (entry: string): Promise<void> => {
    await page.getByRole('button', { name: 'More actions for ivan@example.com' }).click()
    await page.getByRole('menuitem', { name: entry }).click()
  }
  await more('Invite again')
  await expect(page.getByText("'ivan@example.com' was invited again.")).toBeVisible()
  await more('Disable')
  await expect(row).toContainText('disabled')
  await more('Enable')
  await expect(row).toContainText('invited')
  await more('Delete')
  await dialogOf(page, 'Delete identity').getByRole('button', { name: 'Yes, delete' }).click()
  await expect(row).toHaveCount(0)
})

test('a credential with its secret, shown once, calls the API until it is switched off', async ({ page }) => {
  await signIn(page, ida, undefined, '/iam/identities')
  await page.getByRole('button', { name: `API credentials of ${ida.email}` }).click()
  const dialog = dialogOf(page, 'Manage Credentials')
  await dialog.getByRole('button', { name: 'Add credential' }).click()
  await dialogOf(page, 'Add credential').getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByText('You cannot see it again later.')).toBeVisible()
  await expectPresentable(page)
  const [accessKey = '', secretKey = ''] = await dialog.getByRole('alert').getByRole('code').allInnerTexts()
  const statusOfCall = async (): Promise<number> => {
    const authorization = `Basic ${Buffer.from(`${accessKey}:${secretKey}`).toString('base64')}`
    return (await fetch(`${portalUrl()}/api/contact-service/v1/imports`, { headers: { authorization } })).status
  }
  expect(await statusOfCall()).toBe(200)
  // Escape does not close the dialog while the secret is shown.
  await page.keyboard.press('Escape')
  await dialog.getByRole('button', { name: `Deactivate ${accessKey}` }).click()
  await expect(dialog.getByText('inactive')).toBeVisible()
  expect(await statusOfCall()).toBe(401)
  await dialog.getByRole('button', { name: `Activate ${accessKey}` }).click()
  await expect(dialog.getByRole('button', { name: `Deactivate ${accessKey}` })).toBeVisible()
  expect(await statusOfCall()).toBe(200)
  for (let count = 2; count <= 5; count++) {
    await dialog.getByRole('button', { name: 'Add credential' }).click()
    await dialogOf(page, 'Add credential').getByRole('button', { name: 'Add', exact: true }).click()
    await expect(dialog.getByText(`${count} of 5`)).toBeVisible()
  }
  await expect(dialog.getByRole('button', { name: 'Add credential' })).toHaveAttribute('aria-disabled', 'true')
  await dialog.getByRole('button', { name: `Delete ${accessKey}` }).click()
  await dialogOf(page, 'Delete credential').getByRole('button', { name: 'Yes, delete it' }).click()
  await expect(dialog.getByText('4 of 5')).toBeVisible()
  expect(await statusOfCall()).toBe(401)
  for (let left = 4; left > 0; left--) {
    await dialog.getByRole('button', { name: 'I have copied it' }).first().click()
    await expect(dialog.getByRole('button', { name: 'I have copied it' })).toHaveCount(left - 1)
  }
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  await expect(rowOf(page, ida.email)).toContainText('NoYesactive')
})

test('a person signed out of the account sees a message at the next click', async ({ page, browser }) => {
  const ivo = await makePerson('Ivor', { accounts: [account] })
  const his = await (await browser.newContext()).newPage()
  await signIn(his, ivo, undefined, '/contact-service/imports')
  await expect(his.getByRole('heading', { name: 'Imports' })).toBeVisible()
  await signIn(page, ida, undefined, '/iam/identities?search=ivo')
  await page.getByRole('button', { name: `More actions for ${ivo.email}` }).press('Enter')
  await page.getByRole('menuitem', { name: 'Sign out of this account' }).press('Enter')
  const question = dialogOf(page, 'Sign out of this account')
  await expect(question).toContainText('Are you sure?')
  await expectPresentable(page)
  await question.getByRole('button', { name: 'Yes, sign out' }).press('Enter')
  await expect(page.getByText(`'${ivo.email}' was signed out of 1 session.`)).toBeVisible()
  // The page may have updated by itself.
  const link = his.getByRole('link', { name: 'Exports', exact: true }).first()
  await link.click({ timeout: 3000 }).catch(() => {})
  await expect(his.getByText('You were signed out of this account. Please sign in again to use it.')).toBeVisible()
  await his.context().close()
})

test('Why? shows what decides whether an action is allowed', async ({ page }) => {
  const inga = await makePerson('Inga', { accounts: [account] })
  await (await accessOf(ida, account)).changeGroups(inga.email, [readers])
  await signIn(page, ida, undefined, '/iam/identities?search=inga')
  await page.getByRole('button', { name: `Expand ${inga.email}` }).click()
  const ask = async (service: string, resource: string, method: string): Promise<void> => {
    await choose(page, page.getByRole('combobox', { name: 'Microservice' }), service)
    await choose(page, page.getByRole('combobox', { name: 'Resource' }), resource)
    await choose(page, page.getByRole('combobox', { name: 'Method' }), method)
    await page.getByRole('button', { name: 'Why?' }).click()
  }
  await ask('contact-service', 'offers', 'get')
  await expect(page.getByText('Allowed', { exact: true })).toBeVisible()
  await expect(
    page.getByText("Policy 'Iron reading' (from Iron readers) allows it: contact-service::offers::get"),
  ).toBeVisible()
  await ask('contact-service', 'imports', 'post')
  await expect(page.getByText('Denied', { exact: true })).toBeVisible()
  await expect(page.getByText("Policy 'Iron reading' (from Iron readers) has no matching action")).toBeVisible()
  await expectPresentable(page)
})

test('power admins manage global identities and see those of the account read-only', async ({ page }) => {
  await signIn(page, powerAdmin, account, '/iam/identities')
  await expect(rowOf(page, powerAdmin.email)).toContainText('* (global)')
  await page.getByRole('button', { name: `Edit ${ida.email}` }).hover()
  await expect(page.getByRole('tooltip')).toHaveText('Power admins manage global identities only.')
  await page.getByRole('checkbox', { name: `Select ${ida.email}` }).check()
  await expect(page.getByRole('button', { name: 'Delete selected' })).toHaveAttribute('aria-disabled', 'true')
  await page.getByRole('button', { name: 'NEW IDENTITY' }).click()
  const form = dialogOf(page, 'New Identity')
  await form.getByRole('combobox', { name: /^Groups/ }).click()
  await expect(page.getByRole('option', { name: 'Administrators' })).toBeVisible()
  await expect(page.getByRole('option', { name: /everyone|Iron readers/ })).toHaveCount(0)
})
