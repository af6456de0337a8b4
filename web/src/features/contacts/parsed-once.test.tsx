import { parsePipeline, parsePipelineText } from '@portico/domain/pipeline/pipeline-json'
import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, serveApi } from '#test/server.ts'
import { ContactsPage } from './contacts-page.tsx'

// Counts the calls of the parser, which is otherwise unchanged.
vi.mock('@portico/domain/pipeline/pipeline-json', { spy: true })

const offers = '/contact-service/v1/offers'
const inOslo = [{ $match: { $and: [{ City: 'Oslo' }] } }]
const bySavedFilter = [{ $predefined: 'f1' }]

test.each([
  ['a filter', inOslo, [JSON.stringify(inOslo)]],
  ['a saved filter', bySavedFilter, [JSON.stringify(bySavedFilter), JSON.stringify(inOslo)]],
])('%s in the address is parsed once on its way to results, builder and export', async (_what, stages, texts) => {
  vi.mocked(parsePipeline).mockClear()
  vi.mocked(parsePipelineText).mockClear()
  beSignedIn({ policies: ['contact-offers-list', 'contact-rdls-list', 'contact-export-create'] })
  serveApi({
    'GET /contact-service/v1/fields': answer([{ name: 'City', type: 'string', isIndexed: false }]),
    'GET /contact-service/v1/rdls/f1': answer({ _id: 'f1', name: 'Oslo', aggregateQuery: JSON.stringify(inOslo) }),
    [`GET ${offers}`]: answer({ rows: [{ _id: '7', City: 'Oslo' }], count: 40 }),
  })
  const place = `/contact-service/documents?filter=${encodeURIComponent(JSON.stringify(stages))}`
  const { user } = renderApp(<ContactsPage />, place)
  expect(await screen.findByText('40 contacts found')).toBeVisible()
  await user.click(screen.getByRole('button', { name: /^FILTERS/ }))
  await user.click(screen.getByRole('button', { name: 'Export Results' }))
  expect(await screen.findByRole('dialog', { name: 'Export These Results' })).toBeVisible()
  expect(vi.mocked(parsePipelineText).mock.calls.map(([text]) => text)).toEqual(texts)
  expect(parsePipeline).not.toHaveBeenCalled()
})
