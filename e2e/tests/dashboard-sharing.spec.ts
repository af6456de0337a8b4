import { apiOf } from '../api.ts'
import { cellOf, citiesAndMembers, makeDashboard, members } from '../dashboards.ts'
import { expect, makeAccount, makePerson, signIn, test } from '../portal.ts'

test('an open dashboard closes automatically when it is no longer shared', async ({ page, trouble }) => {
  // The dashboard, and a cell that is loading at that moment.
  trouble.allow(/^404 (GET|POST) \/api\/contact-service\/v1\/dashboards\//)
  const account = await makeAccount('Quartz Ridge')
  const [author, viewer] = [
    await makePerson('Quincy', { accounts: [account] }),
    await makePerson('Quenby', { accounts: [account] }),
  ]
  const api = await apiOf(author, account)
  await api.importFile('Members', members, { typeCasting: true })
  const { _id, version, name, tags } = await makeDashboard(api, account, 'Shared for a while')
  await signIn(page, viewer, undefined, `/contact-service/dashboards?dashboard=${_id}`)
  await expect(cellOf(page, 'Members').getByText('4', { exact: true })).toBeVisible()

  await api.put(`/contact-service/v1/dashboards/${_id}`, {
    name,
    tags,
    version,
    sharedWith: { paids: 'all', aids: [account.id], users: [author.email] },
    definition: JSON.stringify({ layout: [citiesAndMembers] }),
  })
  await expect(cellOf(page, 'Members')).toHaveCount(0)
  await expect(page.getByRole('alert').getByText('This does not exist, or you do not have access to it.')).toBeVisible()
  await page.reload()
  await expect(page.getByRole('alert').getByText('This does not exist, or you do not have access to it.')).toBeVisible()
})
