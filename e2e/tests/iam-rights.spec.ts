import { accessOf } from '../access.ts'
import { expectPresentable, powerAdmin } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'

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
