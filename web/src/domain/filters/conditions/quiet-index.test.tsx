import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { buildFilter, button } from '#test/filter-builder.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import { emptyFilter, type Filter } from '../stages/filter.ts'

const fields = [{ name: 'Note', type: 'string', isIndexed: false }] as const
const value: Filter = { ...emptyFilter, standard: [{ field: 'Note', type: 'string', operator: '=', value: 'Paris' }] }
const portal = {
  'GET /contact-service/v1/offers': answer({ count: 1234 }),
  'GET /contact-service/v1/configuration/filters': answer({ onlyIndexedFields: false }),
  'GET /contact-service/v1/indexes/estimate': answer({ rows: 9_000_000, sizeBytes: 250_000_000, buildSeconds: 60 }),
  'GET /contact-service/v1/indexes/details': answer([]),
}
const fieldIndex = 'GET /contact-service/v1/indexes/field'
const post = 'POST /contact-service/v1/indexes'
const posted = (sent: Sent[]) => sent.filter(({ call }) => call === post)

beforeEach(() => beSignedIn({ policies: ['contact-offers-list', 'contact-indexes-create', 'contact-indexes-list'] }))

test('filtering by a field without an index works at once, and a quick index is built without asking', async () => {
  const state = { index: null as string | null }
  const sent = serveApi({
    ...portal,
    [fieldIndex]: () => answer({ state: state.index, isQuick: true }),
    [post]: () => {
      state.index = 'building'
      return answer({ name: 'Note_1' }, 202)
    },
  })
  const { user, applied } = buildFilter({ fields, value: emptyFilter })
  await user.click(button('Add condition'))
  await user.click(screen.getByRole('combobox', { name: 'Field of condition 1' }))
  await user.click(await screen.findByRole('option', { name: 'Note' }))
  await user.type(screen.getByRole('textbox', { name: 'Value of condition 1' }), 'Paris')
  expect(screen.getByText('Contacts whose Note is “Paris”.')).toBeVisible()
  await waitFor(() => expect(posted(sent).map(({ body }) => body)).toEqual([{ key: [['Note', 1]] }]))
  await waitFor(() => expect(screen.getAllByText('1,234 contacts')).toHaveLength(2))
  expect(screen.queryByText(/not complete|no index|being created/)).toBeNull()
  await user.click(button('Apply'))
  expect(applied).toEqual([value])
})

test('choosing a field neither builds nor offers an index; Apply does, even for an empty comparison', async () => {
  const state = { isQuick: true }
  const sent = serveApi({
    ...portal,
    [fieldIndex]: () => answer({ state: null, isQuick: state.isQuick }),
    [post]: answer({ name: 'Note_1' }, 202),
  })
  const choosesNote = async () => {
    const { user, unmount } = buildFilter({ fields, value: emptyFilter })
    await user.click(button('Add condition'))
    await user.click(screen.getByRole('combobox', { name: 'Field of condition 1' }))
    await user.click(await screen.findByRole('option', { name: 'Note' }))
    await waitFor(() => expect(screen.getAllByText('1,234 contacts')).toHaveLength(2))
    return { user, unmount }
  }
  const quick = await choosesNote()
  expect(posted(sent)).toEqual([])
  await quick.user.click(button('Apply'))
  await waitFor(() => expect(posted(sent)).toHaveLength(1))
  quick.unmount()
  state.isQuick = false
  const slow = await choosesNote()
  expect(screen.queryByText(/has no index/)).toBeNull()
  await slow.user.type(screen.getByRole('textbox', { name: 'Value of condition 1' }), 'Paris')
  expect(await screen.findByText(/"Note" has no index/)).toBeVisible()
  expect(posted(sent)).toHaveLength(1)
})

test('an index that takes longer is offered while the filter already runs', async () => {
  const state = { index: null as string | null }
  const sent = serveApi({
    ...portal,
    [fieldIndex]: () => answer({ state: state.index, isQuick: false }),
    [post]: () => {
      state.index = 'building'
      return answer({ name: 'Note_1' }, 202)
    },
  })
  const { user } = buildFilter({ fields, value })
  expect(
    await screen.findByText(/"Note" has no index, so this filter may be slow\. One for 9,000,000 contacts takes/),
  ).toBeVisible()
  expect(screen.getByText('Contacts whose Note is “Paris”.')).toBeVisible()
  await waitFor(() => expect(screen.getAllByText('1,234 contacts')).toHaveLength(2))
  expect(posted(sent)).toEqual([])
  await user.click(button('Create the index'))
  expect(await screen.findByText("'Note' index is being created...")).toBeVisible()
  expect(posted(sent)).toHaveLength(1)
})

test('an index that failed to build is not retried automatically', async () => {
  const sent = serveApi({ ...portal, [fieldIndex]: answer({ state: 'failed', isQuick: true }) })
  buildFilter({ fields, value })
  expect(await screen.findByRole('button', { name: 'Create the index' })).toBeVisible()
  expect(posted(sent)).toEqual([])
})

test('an index created by another request is no error; any other failure offers a retry', async () => {
  const state = { refusal: refusal(409, 'name_taken') }
  serveApi({ ...portal, [fieldIndex]: answer({ state: null, isQuick: true }), [post]: () => state.refusal })
  const first = buildFilter({ fields, value })
  await waitFor(() => expect(screen.getAllByText('1,234 contacts')).toHaveLength(2))
  expect(screen.queryByRole('button', { name: 'Create the index' })).toBeNull()
  first.unmount()
  state.refusal = refusal(400, 'limit_reached', 'No more indexes.')
  buildFilter({ fields, value })
  expect(await screen.findByRole('button', { name: 'Create the index' })).toBeVisible()
  expect(screen.queryByText('No more indexes.')).toBeNull()
})

test('without the right to create indexes the filter still runs', async () => {
  beSignedIn({ policies: ['contact-offers-list'] })
  const sent = serveApi(portal)
  buildFilter({ fields, value })
  await waitFor(() => expect(screen.getAllByText('1,234 contacts')).toHaveLength(2))
  expect(screen.queryByText(/no index/)).toBeNull()
  expect(sent.some(({ call }) => call.includes('/indexes'))).toBe(false)
})

test('once the index is ready, a count that timed out is requested again', async () => {
  const state = { index: 'building' }
  serveApi({
    ...portal,
    [fieldIndex]: () => answer({ state: state.index, isQuick: true }),
    'GET /contact-service/v1/offers': () =>
      state.index === 'ready' ? answer({ count: 1234 }) : refusal(422, 'timed_out', 'Too slow.'),
  })
  buildFilter({ fields, value })
  expect(await screen.findByText('Too slow.')).toBeVisible()
  state.index = 'ready'
  await waitFor(() => expect(screen.getAllByText('1,234 contacts')).toHaveLength(2), { timeout: 4000 })
})
