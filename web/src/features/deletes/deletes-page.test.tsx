import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, type Sent, serveApi } from '#test/server.ts'
import { DeletesPage } from './deletes-page.tsx'

const record = (part: Record<string, unknown>) => ({
  _id: '1',
  filter: [],
  deletedRecords: 3000,
  processedRecords: 3000,
  creator: 'mara.klein@example.com',
  creationDate: new Date(2026, 0, 31, 15, 4, 5).toISOString(),
  status: 'completed',
  reason: null,
  ...part,
})
const records = [
  record({
    _id: '4',
    filter: [{ $match: { $and: [{ City: 'Paris' }] } }],
    status: 'processing',
    processedRecords: 750,
  }),
  record({ _id: '3', filter: [{ $predefined: '17' }] }),
  record({ _id: '2', filter: [{ $match: { Gone: 'x' } }] }),
  record({ _id: '1' }),
]
const listed = (found: unknown[]) => (sent: Sent) => answer('count' in sent.query ? { count: found.length } : found)

const portal = {
  'GET /contact-service/v1/deletes': listed(records),
  'GET /contact-service/v1/fields': answer([{ name: 'City', type: 'string', isIndexed: true }]),
  'GET /contact-service/v1/rdls': answer([{ _id: '17', name: 'Old leads', showInSubaccounts: false, isOwn: true }]),
}

beforeEach(() => beSignedIn({ policies: ['contact-deletes-list', 'contact-rdls-list'] }))

test('filters are read as sentences; one whose fields are gone says so', async () => {
  serveApi(portal)
  renderApp(<DeletesPage />)
  expect(await screen.findByText('Contacts whose City is “Paris”.')).toBeVisible()
  expect(await screen.findByText('Contacts of the saved filter “Old leads”.')).toBeVisible()
  expect(screen.getByText('Unexpected field in standard filter: "Gone"')).toBeVisible()
  expect(screen.getByText('All contacts.')).toBeVisible()
  const headers = screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(headers).toEqual(['Details', 'ID', 'Filter', 'Count', 'Creator', 'Date', 'Status'])
  const row = within(screen.getByRole('row', { name: /All contacts/ }))
  expect(row.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual([
    '',
    'All contacts.',
    '3,000',
    'mara.klein@example.com',
    '1/31/2026 3:04:05 PM',
    'completed',
  ])
})

test('names of saved filters are for those who may see them', async () => {
  beSignedIn({ policies: ['contact-deletes-list'] })
  const sent = serveApi(portal)
  renderApp(<DeletesPage />)
  expect(await screen.findByText('Contacts of a saved filter.')).toBeVisible()
  expect(sent.some(({ call }) => call.includes('rdls'))).toBe(false)
})

test('what is being deleted shows how far it is', async () => {
  serveApi(portal)
  renderApp(<DeletesPage />)
  const row = within(await screen.findByRole('row', { name: /Paris/ }))
  expect(row.getByRole('progressbar', { name: 'Progress of delete 4' })).toHaveAttribute('aria-valuenow', '25')
  expect(row.getByText('25% deleted')).toBeVisible()
  expect(row.getByText('processing')).toBeVisible()
})

test('a delete that still looks for what was written of the last contacts is finishing', async () => {
  serveApi({ ...portal, 'GET /contact-service/v1/deletes': listed([record({ status: 'processing' })]) })
  renderApp(<DeletesPage />)
  expect(await screen.findByText('Finishing')).toBeVisible()
})

test('the panel starts closed and narrows the list to a status, kept in the address', async () => {
  const sent = serveApi({
    ...portal,
    'GET /contact-service/v1/deletes': (one: Sent) =>
      listed('find' in one.query && one.query['find']?.includes('completed') ? [] : records)(one),
  })
  const { user, address } = renderApp(<DeletesPage />, '/contact-service/deletes')
  await screen.findByText('4 deletes')
  expect(screen.queryByRole('combobox', { name: 'Status' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'FILTERS' }))
  await user.click(screen.getByRole('combobox', { name: 'Status' }))
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
    'processing',
    'completed',
    'rejected',
  ])
  await user.click(screen.getByRole('option', { name: 'completed' }))
  expect(await screen.findByText('No matching deletes found.')).toBeVisible()
  expect(address()).toBe('/contact-service/deletes?status=completed')
  expect(sent.at(-1)?.query['find']).toBe('[{"$match":{"status":"completed"}}]')
})

test('a delete opens to its filter, and to the search with it', async () => {
  serveApi(portal)
  const { user } = renderApp(<DeletesPage />)
  await user.click(await screen.findByRole('button', { name: 'Expand delete 4' }))
  const link = await screen.findByRole('link', { name: 'Search with this filter' })
  const { searchParams } = new URL(link.getAttribute('href') ?? '', 'http://portal')
  expect(JSON.parse(searchParams.get('filter') ?? '')).toEqual(records[0]?.filter)
})

test('a delete that was rejected says why, and how many were deleted before', async () => {
  const reason = 'The identity of mara.klein@example.com is disabled.'
  const rejected = record({ status: 'rejected', processedRecords: 2000, reason })
  serveApi({ ...portal, 'GET /contact-service/v1/deletes': listed([rejected]) })
  const { user } = renderApp(<DeletesPage />)
  await user.click(await screen.findByRole('button', { name: 'Expand delete 1' }))
  expect(await screen.findByText(`${reason} 2,000 of 3,000 contacts had been deleted before.`)).toBeVisible()
})

test('a filter that rows cannot show opens to its JSON', async () => {
  serveApi(portal)
  const { user } = renderApp(<DeletesPage />)
  await user.click(await screen.findByRole('button', { name: 'Expand delete 2' }))
  await user.click(await screen.findByRole('button', { name: 'Show as JSON' }))
  expect(screen.getByText(/"Gone": "x"/)).toBeVisible()
})

test('an account without deletes says so', async () => {
  serveApi({ ...portal, 'GET /contact-service/v1/deletes': listed([]) })
  renderApp(<DeletesPage />)
  expect(await screen.findByText('No deletes are available.')).toBeVisible()
})
