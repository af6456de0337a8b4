import type { AuditEntry } from '@portico/contract/audit'
import { fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { changeSettings } from '#lib/settings.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import { AuditPage } from './audit-page.tsx'

const line: AuditEntry = {
  _id: '41',
  at: '2026-01-31T10:00:00.000Z',
  actor: 'mara.klein@example.com',
  action: 'group changed',
  subject: 'Campaign staff',
  details: {
    policiesAdded: ['cs-read-only', 'bi-read-only'],
    rows: 1200,
    expiresAt: '2027-02-03T04:05:06.000Z',
    isAdmin: false,
    before: { name: 'Staff' },
  },
  address: '10.0.0.7',
  via: 'credential',
  viaName: 'Nightly sync (AK1)',
  count: 1,
  account: 1,
}
const list =
  (lines: AuditEntry[], count = lines.length) =>
  (sent: Sent) =>
    answer('count' in sent.query ? { count } : lines)

const audit = 'GET /identity/v1/audit'
const lastQuery = (sent: Sent[]) =>
  sent.findLast(({ call, query }) => call === audit && !('count' in query))?.query ?? {}

beforeEach(() => {
  beSignedIn({ isPowerUser: true })
  changeSettings({ rowsPerPage: 10, singleExpand: true })
})

test('shows when, who, what, subject, how and address; a row opens its details in words', async () => {
  serveApi({
    [audit]: list([line, { ...line, _id: '42', address: null, via: null, viaName: null, count: 1200, details: {} }]),
  })
  const { user } = renderApp(<AuditPage />)
  const [row] = await screen.findAllByText('Campaign staff')
  expect(row?.closest('tr')).toHaveTextContent(
    /2026 .*mara\.klein@example\.comgroup changedCampaign staffAPI credential10\.0\.0\.7$/,
  )
  expect(screen.getByText('group changed (1,200 times)')).toBeVisible()
  expect(screen.queryByRole('columnheader', { name: 'Account' })).toBeNull()
  expect(screen.queryByRole('switch', { name: 'All accounts' })).toBeNull()
  const [first, second] = screen.getAllByRole('button', { name: /^Expand group changed Campaign staff/ })
  await user.click(first as HTMLElement)
  expect(screen.getByText('Policies added')).toBeVisible()
  expect(screen.getByText('bi-read-only')).toBeVisible()
  expect(screen.getByText('API credential: Nightly sync (AK1)')).toBeVisible()
  expect(screen.getByText('1,200')).toBeVisible()
  expect(screen.getByText('No')).toBeVisible()
  expect(screen.getByText(/^2\/\d\/2027 \d+:05:06 [AP]M$/)).toBeVisible()
  expect(screen.getByText(/"name": "Staff"/)).toBeVisible()
  await user.click(second as HTMLElement)
  expect(screen.getByText('No details.')).toBeVisible()
})

test('who, what, how, from and to are kept in the address and sent to the server', async () => {
  const sent = serveApi({ [audit]: list([line], 30) })
  const { user, address } = renderApp(<AuditPage />, '/iam/audit?page=2')
  await screen.findByText('Campaign staff')
  expect(lastQuery(sent)).toEqual({ limit: '10', skip: '10' })
  await user.type(screen.getByRole('textbox', { name: 'Who' }), 'mara{Enter}')
  await user.type(screen.getByRole('textbox', { name: 'What' }), 'group{Enter}')
  await user.selectOptions(screen.getByRole('combobox', { name: 'How' }), 'Session')
  fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-01-31T08:00' } })
  fireEvent.change(screen.getByLabelText('To'), { target: { value: '2026-01-31T07:00' } })
  expect(screen.getByLabelText('To')).toHaveAccessibleDescription('Value is invalid!')
  fireEvent.change(screen.getByLabelText('To'), { target: { value: '2026-02-01T00:00' } })
  expect(screen.getByLabelText('To')).not.toBeInvalid()
  expect(address()).toBe('/iam/audit?who=mara&what=group&via=session&from=2026-01-31T08%3A00&to=2026-02-01T00%3A00')
  await waitFor(() =>
    expect(lastQuery(sent)).toEqual({
      who: 'mara',
      what: 'group',
      via: 'session',
      from: new Date('2026-01-31T08:00').toISOString(),
      to: new Date('2026-02-01T00:00').toISOString(),
      limit: '10',
      skip: '0',
    }),
  )
  await user.selectOptions(screen.getByRole('combobox', { name: 'Records per page' }), '15')
  await waitFor(() => expect(lastQuery(sent)).toMatchObject({ limit: '15' }))
})

test('power admins may read the log of all accounts', async () => {
  beSignedIn({ isPowerAdmin: true })
  const sent = serveApi({
    [audit]: list([line, { ...line, _id: '43', account: null }]),
    'GET /identity/v1/accounts': answer([{ Key: 1, Value: 'Lakeside Clinic' }]),
  })
  const { user } = renderApp(<AuditPage />)
  await screen.findAllByText('Campaign staff')
  await user.click(screen.getByRole('switch', { name: 'All accounts' }))
  expect(await screen.findByText('Lakeside Clinic')).toBeVisible()
  expect(screen.getByText('all')).toBeVisible()
  expect(lastQuery(sent)).toMatchObject({ everywhere: 'true' })
})

test('the matching entries are exported to a file', async () => {
  const assign = vi.fn<(url: string) => void>()
  vi.stubGlobal('location', { assign, origin: window.location.origin })
  const sent = serveApi({
    [audit]: list([line]),
    'POST /identity/v1/audit/exports': answer({ url: '/api/files/audit.csv?signature=x' }),
  })
  const { user } = renderApp(<AuditPage />, '/iam/audit?who=mara')
  await screen.findByText('Campaign staff')
  await user.click(screen.getByRole('button', { name: 'Export CSV' }))
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/api/files/audit.csv?signature=x'))
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toEqual({ who: 'mara' })
  vi.unstubAllGlobals()
})

test('shows when nothing matches, and when the log cannot be read', async () => {
  serveApi({ [audit]: list([]) })
  const { user, address, unmount } = renderApp(<AuditPage />, '/iam/audit?who=nobody')
  await user.click(await screen.findByRole('button', { name: 'Show all entries' }))
  expect(address()).toBe('/iam/audit')
  expect(await screen.findByText('No entries yet.')).toBeVisible()
  expect(screen.getByRole('button', { name: 'Export CSV' })).toBeDisabled()
  unmount()
  serveApi({ [audit]: refusal(403, 'not_allowed', 'You may not do this.') })
  renderApp(<AuditPage />)
  expect(await screen.findByText('You may not do this.')).toBeVisible()
})
