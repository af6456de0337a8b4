import { screen } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { buildFilter, button } from '#test/filter-builder.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { emptyFilter, type Filter } from '../stages/filter.ts'

const fields = [{ name: 'Note', type: 'string', isIndexed: false }] as const
const value: Filter = { ...emptyFilter, standard: [{ field: 'Note', type: 'string', operator: '=', value: 'Paris' }] }
const counts = {
  'GET /contact-service/v1/offers': answer({ count: 1234 }),
  'GET /contact-service/v1/configuration/filters': answer({ onlyIndexedFields: true }),
}

beforeEach(() => beSignedIn({ policies: ['contact-offers-list', 'contact-indexes-create', 'contact-indexes-list'] }))

test('a field without an index offers to create one with an estimate, and waits for it', async () => {
  const state: { index: object | null } = { index: null }
  const index = { name: 'Note_1', fieldName1: 'Note', fieldName2: null, reason: null }
  const sent = serveApi({
    ...counts,
    'GET /contact-service/v1/indexes/estimate': answer({ rows: 90_000, sizeBytes: 2_500_000, buildSeconds: 12 }),
    'GET /contact-service/v1/indexes/details': () => answer(state.index === null ? [] : [state.index]),
    'POST /contact-service/v1/indexes': () => {
      state.index = { ...index, state: 'building', progress: 0.4 }
      return answer({ name: 'Note_1' }, 202)
    },
  })
  const { user } = buildFilter({ fields, value })
  expect(await screen.findByText(/One for 90,000 contacts takes about 12 sec to build, and about 2.5 MB/)).toBeVisible()
  // Not before the index exists.
  expect(screen.getByText('This filter is not complete yet: see Standard.')).toBeVisible()
  await user.click(button('Create the index'))
  expect(await screen.findByText("'Note' index is being created...")).toBeVisible()
  expect(screen.getByRole('progressbar', { name: 'Progress of the index of Note' })).toHaveAttribute(
    'aria-valuenow',
    '40',
  )
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toEqual({ key: [['Note', 1]] })
  state.index = { ...index, state: 'failed', progress: null, reason: 'No room is left.' }
  expect(await screen.findByText(/No room is left\./, {}, { timeout: 4000 })).toBeVisible()
})

test('with the right to create but not to list indexes, no other index call is made', async () => {
  beSignedIn({ policies: ['contact-offers-list', 'contact-indexes-create'] })
  const sent = serveApi({ ...counts, 'POST /contact-service/v1/indexes': answer({ name: 'Note_1' }) })
  const { user } = buildFilter({ fields, value })
  await user.click(await screen.findByRole('button', { name: 'Create the index' }))
  expect(await screen.findByText("'Note' index is being created...")).toBeVisible()
  expect(sent.filter(({ call }) => call.startsWith('GET') && call.includes('/indexes'))).toEqual([])
})

test('without the right to create indexes the hint names whom to ask', async () => {
  beSignedIn({ policies: ['contact-offers-list'] })
  serveApi(counts)
  buildFilter({ fields, value })
  expect(await screen.findByText(/"Note" has no index, so it can't be filtered by\. Contact your admin/)).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Create the index' })).toBeNull()
})
