import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { screen } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { GroupResults } from './group-results.tsx'

const stages = parsePipeline([{ $group: { _id: { City: '$City' } } }, { $sort: { City: 1 } }, { $limit: 5 }])
const cities = ['Basel', 'Bern', 'Chur', 'Genf', 'Zug'].map((City) => ({ City }))
const table = {
  page: 1,
  pageSize: 5,
  pageSizes: [5, 10, 20],
  sort: null,
  onPageChange() {},
  onPageSizeChange() {},
  onSortChange() {},
}

beforeEach(() => beSignedIn({ policies: ['contact-offers-list'] }))

function show(groups: unknown[]) {
  serveApi({ 'GET /contact-service/v1/offers': answer(groups) })
  return renderApp(<GroupResults stages={stages} fields={[]} table={table} isDense={false} />)
}

test('reports that there may be more groups than the limit', async () => {
  show(cities)
  expect(await screen.findByText('The first 5 groups are shown. There may be more: the limit is 5.')).toBeVisible()
})

test('shows no note if the limit is not reached', async () => {
  show(cities.slice(1))
  await screen.findByRole('row', { name: /Zug/ })
  expect(screen.queryByText(/There may be more/)).toBeNull()
})
