import { screen } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { RightHoldersPage } from './right-holders-page.tsx'

beforeEach(() => beSignedIn({ isPowerUser: true }))

const action = 'contact-service::offers::get'
const tom = {
  email: 'tom.lind@example.com',
  userName: 'Tom Lind',
  kind: 'person',
  may: 'conditions',
  role: 'member',
  identities: [{ aid: 1, refusal: null, limits: ['Monday (UTC)', '10.0.0.0/8'], rowRule: null }],
  by: [{ policy: 0, action: 'contact-service::*::get' }],
}
const policies = [
  {
    policy: 'Reading',
    aid: 1,
    groups: ['Analysts'],
    text: { conditions: ['query::limit::eq::5'], conditionLogic: 'and' },
  },
]

test('an action in the address lists the people who may do it, with reasons, and saves them as CSV', async () => {
  serveApi({ 'GET /identity/v1/rights/holders': answer({ holders: [tom], policies }) })
  const { user } = renderApp(<RightHoldersPage />, `/iam/rights?action=${action}`)
  const row = (await screen.findByRole('rowheader', { name: tom.email })).closest('tr')
  expect(row).toHaveTextContent('Under conditionsReadingMonday (UTC), 10.0.0.0/8')
  expect(screen.getByRole('combobox', { name: 'Who may do this?' })).toHaveValue('Search and view contacts')
  expect(screen.getByText('1 person. Global identities are visible to power admins.')).toBeVisible()
  await user.click(screen.getByRole('button', { name: `Expand ${tom.email}` }))
  expect(screen.getByText(/By the policy 'Reading', from Analysts/)).toHaveTextContent(
    'contact-service::*::get. Only if “limit” in the query is “5”.',
  )
  const saved = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1')
  vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
  await user.click(screen.getByRole('button', { name: 'Export CSV' }))
  const [file] = saved.mock.calls[0] ?? []
  expect(await (file as Blob).text()).toContain(`${action},${tom.email},Tom Lind`)
})

test('without an action it asks to choose one, and has nothing to export', async () => {
  serveApi({})
  renderApp(<RightHoldersPage />, '/iam/rights?action=*::*::get')
  expect(await screen.findByText('No action is chosen.')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Export CSV' })).toBeDisabled()
})
