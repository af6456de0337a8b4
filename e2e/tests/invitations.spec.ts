import { accessOf } from '../access.ts'
import { expectPresentable } from '../iam-area.ts'
import {
  type Account,
  accountPicker,
  addressIn,
  enterCredentials,
  expect,
  makeAccount,
  makePerson,
  type Person,
  portalUrl,
  signIn,
  switchAccount,
  test,
} from '../portal.ts'
import { choose, dialogOf, rowOf } from '../screens.ts'

let home: Account
let second: Account
let inviting: Account
let chief: Person

test.beforeAll(async () => {
  home = await makeAccount('Copper Works')
  second = await makeAccount('Copper Studio')
  inviting = await makeAccount('Brass Foundry')
  chief = await makePerson('Chiara', { accounts: [inviting] })
})

const notice = 'invited you to Brass Foundry'

test('a person from another account is invited, accepts on Home and works in both accounts', async ({
  page,
  browser,
}) => {
  const mia = await makePerson('Mia', { accounts: [home] })
  const theirs = await (await browser.newContext()).newPage()
  await signIn(theirs, chief, undefined, '/iam/identities')
  await theirs.getByRole('button', { name: 'NEW IDENTITY' }).click()
  const form = dialogOf(theirs, 'New Identity')
  await form.getByRole('textbox', { name: 'Email' }).fill(mia.email)
  await form.getByRole('combobox', { name: /^Groups/ }).fill('power')
  await theirs.getByRole('option', { name: 'Power users' }).click()
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(theirs.getByText(`'${mia.email}' was created. An invitation was sent.`)).toBeVisible()
  await expect(rowOf(theirs, mia.email)).toContainText('invited')

  await signIn(page, mia, undefined, '/home')
  const invitation = page.getByRole('region', { name: `${chief.email} ${notice}` })
  await expect(invitation).toBeVisible()
  await expectPresentable(page)
  await expect(accountPicker(page)).toHaveCount(0)
  await invitation.getByRole('button', { name: 'Accept' }).press('Enter')
  await expect(page.getByText(`You can now work in ${inviting.name}.`)).toBeVisible()
  await expect(invitation).toHaveCount(0)
  await switchAccount(page, inviting)
  await expect(page).toHaveURL(addressIn(inviting, '/home'))
  await theirs.reload()
  await expect(rowOf(theirs, mia.email)).toContainText('active')
  await theirs.context().close()
})

test('an invitation is declined on the choice of accounts', async ({ page, browser }) => {
  const nils = await makePerson('Nils', { accounts: [home, second] })
  const access = await accessOf(chief, inviting)
  await access.makeIdentity(nils.email, ['00000000-0000-4000-8000-000000000002'])
  await page.goto('/')
  await enterCredentials(page, nils)
  await expect(page.getByRole('heading', { name: 'Choose an account' })).toBeVisible()
  const invitation = page.getByRole('region', { name: `${chief.email} ${notice}` })
  await expect(invitation).toBeVisible()
  await expect(page.getByRole('list', { name: 'Accounts' }).getByRole('listitem')).toHaveCount(2)
  await expectPresentable(page)
  await invitation.getByRole('button', { name: 'Decline' }).click()
  await dialogOf(page, 'Decline the invitation').getByRole('button', { name: 'Yes, decline' }).click()
  await expect(page.getByText('The invitation was declined.')).toBeVisible()
  await expect(invitation).toHaveCount(0)
  await expect(page.getByRole('list', { name: 'Accounts' }).getByRole('listitem')).toHaveCount(2)

  const theirs = await (await browser.newContext()).newPage()
  await signIn(theirs, chief, undefined, '/iam/audit')
  await expect(theirs.getByText('invitation declined')).toBeVisible()
  await theirs.context().close()
})

/** The status of a call with the newest secret on the page. */
async function statusWith(dialog: ReturnType<typeof dialogOf>): Promise<number> {
  const [accessKey = '', secretKey = ''] = await dialog.getByRole('alert').getByRole('code').allInnerTexts()
  const authorization = `Basic ${Buffer.from(`${accessKey}:${secretKey}`).toString('base64')}`
  return (await fetch(`${portalUrl()}/api/contact-service/v1/imports`, { headers: { authorization } })).status
}

test('a service identity is created, and its credential calls the API', async ({ page }) => {
  await signIn(page, chief, undefined, '/iam/identities')
  await page.getByRole('button', { name: 'NEW IDENTITY' }).click()
  const form = dialogOf(page, 'New Identity')
  await form.getByText('Service', { exact: true }).click()
  await form.getByRole('textbox', { name: /^Name/ }).fill('ada@example.com')
  await expect(form.getByText('Use letters, digits, spaces, dots, dashes, underscores and brackets.')).toBeVisible()
  await expectPresentable(page)
  await form.getByRole('textbox', { name: /^Name/ }).fill('Nightly sync')
  await form.getByRole('combobox', { name: /^Groups/ }).fill('power')
  await page.getByRole('option', { name: 'Power users' }).click()
  await form.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByText("'Nightly sync' was created.")).toBeVisible()
  await expect(page.getByRole('rowheader', { name: 'Nightly sync service' })).toBeVisible()

  await page.getByRole('button', { name: 'API credentials of Nightly sync' }).click()
  const dialog = dialogOf(page, 'Manage Credentials')
  await dialog.getByRole('button', { name: 'Add credential' }).click()
  await dialogOf(page, 'Add credential').getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByText('You cannot see it again later.')).toBeVisible()
  expect(await statusWith(dialog)).toBe(200)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()

  await page.getByRole('button', { name: 'More actions for Nightly sync' }).click()
  await expect(page.getByRole('menuitem')).toHaveText(['Disable', 'Delete'])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Expand Nightly sync' }).click()
  await choose(page, page.getByRole('combobox', { name: 'Microservice' }), 'contact-service')
  await choose(page, page.getByRole('combobox', { name: 'Resource' }), 'imports')
  await choose(page, page.getByRole('combobox', { name: 'Method' }), 'get')
  await page.getByRole('button', { name: 'Why?' }).click()
  await expect(page.getByText('Allowed', { exact: true })).toBeVisible()
  await expectPresentable(page)
})

test('people create their own API credentials in their profile; administrators cannot create them', async ({
  page,
  browser,
}) => {
  const ola = await makePerson('Ola', { accounts: [inviting] })
  await signIn(page, ola, undefined, '/module/user-profile')
  const panel = page.getByRole('region', { name: 'API credentials' })
  await expectPresentable(page)
  await panel.getByRole('button', { name: `Manage API credentials in ${inviting.name}` }).press('Enter')
  const dialog = dialogOf(page, 'Manage Credentials')
  await dialog.getByRole('button', { name: 'Add credential' }).click()
  await dialogOf(page, 'Add credential').getByLabel('Name').fill('Laptop')
  await dialogOf(page, 'Add credential').getByRole('button', { name: 'Add', exact: true }).click()
  await expect(dialog.getByText('You cannot see it again later.')).toBeVisible()
  expect(await statusWith(dialog)).toBe(200)
  await expectPresentable(page)
  await dialog.getByRole('button', { name: 'I have copied it' }).click()
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()

  const theirs = await (await browser.newContext()).newPage()
  await signIn(theirs, chief, undefined, '/iam/identities')
  await theirs.getByRole('button', { name: `API credentials of ${ola.email}` }).click()
  const managed = dialogOf(theirs, 'Manage Credentials')
  await expect(managed.getByText('Laptop')).toBeVisible()
  await expect(managed.getByRole('button', { name: 'Add credential' })).toHaveAttribute('aria-disabled', 'true')
  await managed.getByRole('button', { name: /^Deactivate / }).click()
  await expect(managed.getByText('inactive')).toBeVisible()
  // Its owner alone cannot switch it on again.
  await page.reload()
  await panel.getByRole('button', { name: `Manage API credentials in ${inviting.name}` }).press('Enter')
  await expect(dialog.getByRole('button', { name: /^Activate / })).toHaveAttribute('aria-disabled', 'true')
  await managed.getByRole('button', { name: /^Activate / }).click()
  await expect(managed.getByText('inactive')).toBeHidden()
  await theirs.context().close()
})
