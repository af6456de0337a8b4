import { apiOf } from '../api.ts'
import { makeDashboard } from '../dashboards.ts'
import { expectPresentable, openIamScreen } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, makePowerAdmin, type Person, signIn, test } from '../portal.ts'
import { dialogOf } from '../screens.ts'

let account: Account
let other: Account
let admin: Person

test.beforeAll(async () => {
  account = await makeAccount('Larkspur People')
  other = await makeAccount('Larkspur Elsewhere')
  admin = await makePowerAdmin('Larkspur Chief')
})

test('a power admin finds a person across accounts, hands over what they own, and disables and removes them', async ({
  page,
  trouble,
}) => {
  trouble.allow(/^400 POST .*\/hand-over\/preview$/)
  const leaver = await makePerson('Larkspur Leaver', { accounts: [account, other] })
  const heir = await makePerson('Larkspur Heir', { accounts: [account] })
  await makeDashboard(await apiOf(leaver, account), account, 'Larkspur figures')
  await signIn(page, admin, account, '/iam/home')
  await openIamScreen(page, 'People')
  await page.getByRole('textbox', { name: 'Search people' }).fill(leaver.email)
  const row = page.getByRole('row').filter({ hasText: leaver.email })
  await expect(row).toContainText('2')
  await expect(row).toContainText('active')
  await expect(page.getByText('1 person in all accounts')).toBeVisible()
  await expectPresentable(page)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  expect((await download).suggestedFilename()).toBe('people.csv')

  await row.getByRole('link', { name: leaver.email }).click()
  await expect(page).toHaveURL(/\/iam\/people\/[0-9a-f-]{36}/)
  await expect(page.getByRole('heading', { level: 1, name: leaver.email })).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: other.name })).toContainText('Power users')
  await page.getByRole('button', { name: `Expand ${other.name}` }).click()
  await expect(page.getByText('Access to All Subaccounts')).toBeVisible()
  await expectPresentable(page)

  await page.getByRole('button', { name: 'Hand Over' }).click()
  const dialog = dialogOf(page, 'Hand over')
  await dialog.getByRole('textbox', { name: 'To (email)' }).fill('no.one@example.com')
  await dialog.getByRole('button', { name: 'Show What Moves' }).click()
  await expect(dialog).toContainText('has no identity in these accounts')
  await dialog.getByRole('textbox', { name: 'To (email)' }).fill(heir.email)
  await dialog.getByRole('button', { name: 'Show What Moves' }).click()
  await expect(dialog.getByRole('checkbox', { name: `Dashboard Larkspur figures, in ${account.name}` })).toBeChecked()
  await expectPresentable(page)
  await dialog.getByRole('button', { name: 'Hand Over 1 Item' }).click()
  await expect(page.getByText(`1 item was handed over to '${heir.email}'.`)).toBeVisible()

  await page.getByRole('button', { name: 'Disable' }).click()
  await expect(dialogOf(page, 'Disable person')).toContainText(`can no longer work in ${other.name}, ${account.name}`)
  await dialogOf(page, 'Disable person').getByRole('button', { name: 'Yes, disable' }).click()
  await expect(page.getByText(`'${leaver.email}' was disabled in 2 places.`)).toBeVisible()
  await expect(page.getByRole('region', { name: 'Person', exact: true })).toContainText('disabled')

  await page.getByRole('button', { name: 'Remove' }).click()
  const removal = dialogOf(page, 'Remove person')
  await removal.getByRole('button', { name: 'Remove' }).click()
  await expect(removal).toContainText('Choose at least one account.')
  await removal.getByRole('checkbox', { name: account.name }).check()
  await removal.getByRole('checkbox', { name: other.name }).check()
  await removal.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'People' })).toBeVisible()
})

test('a power user sees and ends what is in their own accounts only', async ({ page }) => {
  const chief = await makePerson('Larkspur Owner', { accounts: [account] })
  const member = await makePerson('Larkspur Member', { accounts: [account, other] })
  await signIn(page, chief, account, `/iam/people?search=${member.email}`)
  const row = page.getByRole('row').filter({ hasText: member.email })
  await expect(row).toContainText('never')
  await row.getByRole('link', { name: member.email }).click()
  await expect(page.getByText('This page shows and changes what is in your accounts only.')).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: account.name })).toBeVisible()
  await expect(page.getByText(other.name)).toHaveCount(0)
  await page.getByRole('button', { name: 'End Sessions' }).click()
  await expect(dialogOf(page, 'End sessions')).toContainText('Other accounts are not affected.')
  await dialogOf(page, 'End sessions').getByRole('button', { name: 'Yes, end them' }).click()
  await expect(page.getByText(`'${member.email}' was signed out of 0 sessions.`)).toBeVisible()
})
