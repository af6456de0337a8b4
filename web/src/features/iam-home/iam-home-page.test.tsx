import type { Identity } from '@portico/contract/identities'
import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { anIdentity } from '#test/access.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { IamHomePage } from './iam-home-page.tsx'

const staff = { _id: '1', name: 'Campaign staff', isAdmin: false, ownerPaid: '*' } as const
const ann = (part: Partial<Identity> = {}): Identity =>
  anIdentity({ _id: '1', email: 'ann@example.com', userName: null, groups: [{ ...staff, policies: [] }], ...part })
const line = {
  _id: '41',
  at: '2026-01-31T10:00:00.000Z',
  actor: 'mara.klein@example.com',
  action: 'group changed',
  subject: 'Campaign staff',
  details: {},
  address: null,
  account: 1,
}
const bob = ann({ _id: '2', email: 'bob@example.com', userName: 'Bob', aid: '*', lastSignInAt: line.at })
const portal = {
  'GET /identity/v1/identities': answer([ann({ status: 'invited' }), bob]),
  'GET /identity/v1/groups': answer([{}, {}, {}]),
  'GET /identity/v1/policies': answer([{}, {}, {}, {}]),
  'GET /identity/v1/impersonations': answer([{}]),
  'GET /identity/v1/accounts/details': answer([{}, {}, {}, {}, {}]),
  'GET /identity/v1/audit': answer([line]),
  'GET /identity/v1/accounts': answer([{ Key: 1, Value: 'Lakeside Clinic' }]),
}

beforeEach(() => beSignedIn({ isPowerUser: true }))

const actions = () => within(screen.getByRole('list', { name: 'What you can do here' }))

test('lists the actions with the number of items in each', async () => {
  serveApi(portal)
  renderApp(<IamHomePage />)
  expect(await actions().findByRole('link', { name: /^Identities 2 / })).toHaveAttribute('href', '/iam/identities')
  expect(await actions().findByRole('link', { name: /^Groups 3 / })).toBeVisible()
  expect(await actions().findByRole('link', { name: /^Policies 4 / })).toBeVisible()
  expect(await actions().findByRole('link', { name: /^Impersonation 1 / })).toBeVisible()
  for (const name of [/^Audit/, /^Preferences/, /^List Service Configuration/, /^Settings/]) {
    expect(actions().getByRole('link', { name })).toBeVisible()
  }
  expect(actions().queryByRole('link', { name: /^Accounts/ })).toBeNull()
  expect(await screen.findByText(/power users of Lakeside Clinic/)).toBeVisible()
})

test('power admins also see the accounts', async () => {
  beSignedIn({ isPowerAdmin: true })
  serveApi(portal)
  renderApp(<IamHomePage />)
  expect(await actions().findByRole('link', { name: /^Accounts 5 / })).toHaveAttribute('href', '/iam/accounts')
})

test('shows who may enter, the latest first, and the latest changes', async () => {
  serveApi(portal)
  renderApp(<IamHomePage />)
  const entrants = within(screen.getByRole('region', { name: 'People with access' }))
  const [first, second] = await entrants.findAllByRole('listitem')
  expect(first).toHaveTextContent(/^Bob global ?bob@example\.com · Campaign staff/)
  expect(second).toHaveTextContent(/^ann@example\.com ?invitedCampaign staffnever signed in$/)
  const lines = within(screen.getByRole('region', { name: 'Recent changes' }))
  expect(await lines.findByText('Campaign staff')).toBeVisible()
  expect(lines.getByText('mara.klein@example.com')).toBeVisible()
})

test('shows what cannot be loaded', async () => {
  serveApi({ ...portal, 'GET /identity/v1/audit': refusal(403, 'not_allowed', 'You may not do this.') })
  renderApp(<IamHomePage />)
  expect(await screen.findByText('You may not do this.')).toBeVisible()
})
