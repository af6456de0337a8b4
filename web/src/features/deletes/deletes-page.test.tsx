import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
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
  restorableRecords: 3000,
  restorableUntil: new Date(2026, 2, 2, 15, 4, 5).toISOString(),
  restore: null,
  mergedInto: null,
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

test('filters are shown as sentences; one with missing fields is reported', async () => {
  serveApi(portal)
  renderApp(<DeletesPage />)
  expect(await screen.findByText('Contacts whose City is “Paris”.')).toBeVisible()
  expect(await screen.findByText('Contacts of the saved filter “Old leads”.')).toBeVisible()
  expect(screen.getByText('Unexpected field in standard filter: "Gone"')).toBeVisible()
  expect(screen.getByText('All contacts.')).toBeVisible()
  const headers = screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(headers).toEqual(['Details', 'ID', 'Filter', 'Count', 'Creator', 'Date', 'Status', 'Undo'])
  const row = within(screen.getByRole('row', { name: /All contacts/ }))
  expect(row.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual([
    '',
    'All contacts.',
    '3,000',
    'mara.klein@example.com',
    '1/31/2026 3:04:05 PM',
    'completed',
    'until 3/2/2026 3:04:05 PM',
  ])
})

test('the sentence of a merge goes on to the contact that stays', async () => {
  const merge = record({ filter: [{ $match: { $and: [{ City: 'Paris' }] } }], mergedInto: '9' })
  serveApi({ ...portal, 'GET /contact-service/v1/deletes': listed([merge]) })
  renderApp(<DeletesPage />)
  expect(await screen.findByText('Contacts whose City is “Paris”, merged into contact 9')).toBeVisible()
})

test('names of saved filters are shown only with the right to see them', async () => {
  beSignedIn({ policies: ['contact-deletes-list'] })
  const sent = serveApi(portal)
  renderApp(<DeletesPage />)
  expect(await screen.findByText('Contacts of a saved filter.')).toBeVisible()
  expect(sent.some(({ call }) => call.includes('rdls'))).toBe(false)
})

test('a delete in progress shows its percentage', async () => {
  serveApi(portal)
  renderApp(<DeletesPage />)
  const row = within(await screen.findByRole('row', { name: /Paris/ }))
  expect(row.getByRole('progressbar', { name: 'Progress of delete 4' })).toHaveAttribute('aria-valuenow', '25')
  expect(row.getByText('25% deleted')).toBeVisible()
  expect(row.getByText('processing')).toBeVisible()
})

test('a delete that is still cleaning up after the last contacts is shown as finishing', async () => {
  serveApi({ ...portal, 'GET /contact-service/v1/deletes': listed([record({ status: 'processing' })]) })
  renderApp(<DeletesPage />)
  expect(await screen.findByText('Finishing')).toBeVisible()
})

test('the panel starts closed and filters the list by status, kept in the address', async () => {
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

test('a delete opens its filter, with a link to the search', async () => {
  serveApi(portal)
  const { user } = renderApp(<DeletesPage />)
  await user.click(await screen.findByRole('button', { name: 'Expand delete 4' }))
  const link = await screen.findByRole('link', { name: 'Search with this filter' })
  const { searchParams } = new URL(link.getAttribute('href') ?? '', 'http://portal')
  expect(JSON.parse(searchParams.get('filter') ?? '')).toEqual(records[0]?.filter)
})

test('a rejected delete shows the reason and how many contacts were deleted before', async () => {
  const reason = 'The identity of mara.klein@example.com is disabled.'
  const rejected = record({ status: 'rejected', processedRecords: 2000, reason })
  serveApi({ ...portal, 'GET /contact-service/v1/deletes': listed([rejected]) })
  const { user } = renderApp(<DeletesPage />)
  await user.click(await screen.findByRole('button', { name: 'Expand delete 1' }))
  expect(await screen.findByText(`${reason} 2,000 of 3,000 contacts had been deleted before.`)).toBeVisible()
})

const restore = (part: Record<string, unknown>) => ({
  status: 'completed',
  by: 'ann@example.com',
  requestDate: '2026-01-31T11:00:00.000Z',
  lastActivityDate: '2026-01-31T11:00:01.000Z',
  restoredRecords: 2998,
  missingRecords: 0,
  missingValues: 0,
  reason: null,
  ...part,
})

async function choose(item: string) {
  beSignedIn({ policies: ['contact-deletes-list', 'contact-offers-delete'] })
  const { user } = renderApp(<DeletesPage />)
  await user.click(await screen.findByRole('button', { name: 'Actions for delete 1' }))
  await user.click(await screen.findByRole('menuitem', { name: item }))
  return { user, dialog: within(await screen.findByRole('dialog', { name: item })) }
}

test('undoing a delete asks first and lists what returns', async () => {
  const sent = serveApi({
    ...portal,
    'GET /contact-service/v1/deletes': listed([record({})]),
    'POST /contact-service/v1/deletes/1/restore': answer(record({ restore: restore({ status: 'waiting' }) }), 202),
  })
  const { user, dialog } = await choose('Undo delete')
  expect(dialog.getByText(/3,000 contacts will return/)).toBeVisible()
  expect(dialog.getByText('You can do this until 3/2/2026 3:04:05 PM.')).toBeVisible()
  await user.click(dialog.getByRole('button', { name: 'Yes, undo it' }))
  expect(await screen.findByText('Delete 1 is being undone.')).toBeVisible()
  expect(sent.some(({ call }) => call === 'POST /contact-service/v1/deletes/1/restore')).toBe(true)
})

test('a refusal to undo is shown in the dialog', async () => {
  serveApi({
    ...portal,
    'GET /contact-service/v1/deletes': listed([record({})]),
    'POST /contact-service/v1/deletes/1/restore': refusal(409, 'import_running', 'An import is running.'),
  })
  const { user, dialog } = await choose('Undo delete')
  await user.click(dialog.getByRole('button', { name: 'Yes, undo it' }))
  expect(await dialog.findByRole('alert')).toHaveTextContent('An import is running.')
})

test('erasing contacts for good requires typing their number', async () => {
  const erase = 'DELETE /contact-service/v1/deletes/1/contents'
  const sent = serveApi({
    ...portal,
    'GET /contact-service/v1/deletes': listed([record({})]),
    [erase]: answer({ erasedRecords: 3000 }),
  })
  const { user, dialog } = await choose('Delete for good')
  const button = dialog.getByRole('button', { name: 'Delete for good' })
  expect(button).toBeDisabled()
  await user.type(dialog.getByRole('textbox', { name: 'Number of contacts' }), '3000')
  await user.click(button)
  expect(await screen.findByText('3,000 contacts were deleted for good.')).toBeVisible()
  expect(sent.find(({ call }) => call === erase)?.body).toEqual({ deletedRecords: 3000 })
})

test('there are no actions without the right to delete contacts, or for deletes that are final', async () => {
  serveApi({ ...portal, 'GET /contact-service/v1/deletes': listed([record({})]) })
  const { unmount } = renderApp(<DeletesPage />)
  await screen.findByText('until 3/2/2026 3:04:05 PM')
  expect(screen.queryByRole('button', { name: /Actions/ })).toBeNull()
  unmount()
  beSignedIn({ policies: ['contact-deletes-list', 'contact-offers-delete'] })
  serveApi({ ...portal, 'GET /contact-service/v1/deletes': listed([record({ restorableUntil: null })]) })
  renderApp(<DeletesPage />)
  await screen.findByText('completed')
  expect(screen.queryByRole('button', { name: /Actions/ })).toBeNull()
})

test('an undone delete shows what has returned, and what has not and why', async () => {
  beSignedIn({ policies: ['contact-deletes-list', 'contact-offers-delete'] })
  const undone = record({ restore: restore({ missingRecords: 2 }) })
  const missing = [
    { contact: '77', fields: ['Email'], reason: 'key_taken' },
    { contact: '78', fields: [], reason: 'too_large' },
  ]
  serveApi({
    ...portal,
    'GET /contact-service/v1/deletes': listed([undone]),
    'GET /contact-service/v1/deletes/1/restore': answer({ missing }),
  })
  const { user } = renderApp(<DeletesPage />)
  expect(await screen.findByText('undone in part')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Expand delete 1' }))
  expect(await screen.findByText('77, Email: another contact has these values by now')).toBeVisible()
  expect(screen.getByText('78: a text is too long for an index')).toBeVisible()
  expect(screen.getByText('2,998')).toBeVisible()
})

test('a filter that rows cannot show opens as JSON', async () => {
  serveApi(portal)
  const { user } = renderApp(<DeletesPage />)
  await user.click(await screen.findByRole('button', { name: 'Expand delete 2' }))
  await user.click(await screen.findByRole('button', { name: 'Show as JSON' }))
  expect(screen.getByText(/"Gone": "x"/)).toBeVisible()
})

test('an account without deletes shows a message', async () => {
  serveApi({ ...portal, 'GET /contact-service/v1/deletes': listed([]) })
  renderApp(<DeletesPage />)
  expect(await screen.findByText('No deletes are available.')).toBeVisible()
})
