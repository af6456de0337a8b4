import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { screen } from '@testing-library/react'
import { useState } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, type Sent, serveApi } from '#test/server.ts'
import { ContactsPage } from './contacts-page.tsx'
import { useCountedResults } from './contacts-queries.ts'

const ada = { _id: '7', First: 'Ada' }

beforeEach(() => beSignedIn({ policies: ['contact-offers-list'] }))

/** Returns a count, or null, with the page, and another count when requested alone. */
const withCounts = (beside: number | null, byItself: number) =>
  serveApi({
    'GET /contact-service/v1/fields': answer([{ name: 'First', type: 'string', isIndexed: false }]),
    'GET /contact-service/v1/offers': ({ query }: Sent) =>
      answer('withCount' in query ? { rows: [ada], count: beside } : { count: byItself }),
  })

const countsIn = (sent: Sent[]) => sent.filter(({ query }) => 'count' in query).length

test('the page brings the number of results', async () => {
  const sent = withCounts(40, 41)
  renderApp(<ContactsPage />)
  expect(await screen.findByText('40 contacts')).toBeVisible()
  expect(screen.getByText('Ada')).toBeVisible()
  expect(countsIn(sent)).toBe(0)
})

test('the number of results is requested separately if the page did not wait for it', async () => {
  const sent = withCounts(null, 2_000_000)
  renderApp(<ContactsPage />)
  expect(await screen.findByText('2,000,000 contacts')).toBeVisible()
  expect(screen.getByText('Ada')).toBeVisible()
  expect(countsIn(sent)).toBe(1)
})

function Counted() {
  const [isGrouped, setGrouped] = useState(false)
  const stages = parsePipeline(isGrouped ? [{ $group: { _id: { First: '$First' } } }] : [])
  const { total } = useCountedResults(stages, isGrouped ? null : { sort: null, page: 1, pageSize: 10 })
  return <button onClick={() => setGrouped(true)}>{String(total)}</button>
}

test('groups are counted separately from contacts', async () => {
  withCounts(40, 3)
  const { user } = renderApp(<Counted />)
  await user.click(await screen.findByRole('button', { name: '40' }))
  expect(await screen.findByRole('button', { name: '3' })).toBeVisible()
})
