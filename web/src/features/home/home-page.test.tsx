import { readDefinition } from '@portico/contract/dashboards/definition'
import type { Feature } from '@portico/contract/features'
import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, type Sent, serveApi } from '#test/server.ts'
import { openNew } from '#lib/open-new.ts'
import { HomePage } from './home-page.tsx'

const list = ({ query }: Sent) => answer('count' in query ? { count: 3 } : [])

let sent: Sent[]
beforeEach(() => {
  sent = serveApi({
    'GET /identity/v1/accounts': answer([{ Key: 1, Value: 'Northwind' }]),
    'GET /contact-service/v1/activity': answer([]),
    'GET /contact-service/v1/offers': list,
    'GET /contact-service/v1/imports': list,
    'GET /contact-service/v1/exports': list,
  })
})

async function quickActions(): Promise<string[]> {
  const card = await screen.findByRole('navigation', { name: 'Quick actions' })
  return within(card)
    .queryAllByRole('link')
    .map(({ lastChild }) => lastChild?.firstChild?.textContent ?? '')
}

const reading: Feature[] = [
  'contact-import-list',
  'contact-export-list',
  'contact-offers-list',
  'contact-deletes-list',
  'contact-indexes-list',
  'contact-downloads-list',
]

test('with read-only rights quick actions link to every available list', async () => {
  beSignedIn({ policies: reading })
  renderApp(<HomePage />)
  expect(await quickActions()).toEqual(['Search & Analyze', 'Imports', 'Exports', 'Downloads', 'Deletes', 'Indexes'])
})

test('quick actions do not repeat the list behind a create action', async () => {
  beSignedIn({ policies: [...reading, 'contact-imports-create', 'contact-export-create'], isPowerUser: true })
  renderApp(<HomePage />)
  expect(await quickActions()).toEqual([
    'NEW IMPORT',
    'NEW EXPORT',
    'Search & Analyze',
    'Downloads',
    'Deletes',
    'Indexes',
    'Invite someone',
  ])
})

test('power admins get the quick action to add a power user instead of an identity', async () => {
  beSignedIn({ policies: [], isPowerAdmin: true, isPowerUser: true })
  const { user, address, place } = renderApp(<HomePage />)
  expect(await quickActions()).toEqual(['Add a power user to this account'])
  await user.click(screen.getByRole('link', { name: /^Add a power user to this account/ }))
  expect({ address: address(), place: place() }).toEqual({ address: '/iam/accounts', place: openNew })
})

test('with a single feature there is a single quick action', async () => {
  beSignedIn({ policies: ['contact-indexes-list'] })
  renderApp(<HomePage />)
  expect(await quickActions()).toEqual(['Indexes'])
})

test('figures and quick actions of a hidden menu are neither shown nor requested', async () => {
  const menus = { contactservice: ['tom@example.com'] }
  beSignedIn({ policies: [...reading, 'contact-imports-create'], preferences: { menus, timeout: 30 } })
  renderApp(<HomePage />)
  expect(await quickActions()).toEqual(['Downloads'])
  expect(await screen.findByText('No activity yet')).toBeVisible()
  expect(screen.queryByRole('list', { name: 'Account figures' })).toBeNull()
  expect(sent.map(({ call }) => call).filter((call) => /offers|imports|exports/.test(call))).toEqual([])
})

test('figures are limited to what the user may see', async () => {
  beSignedIn({ policies: ['contact-import-list', 'contact-export-list'] })
  renderApp(<HomePage />)
  const figures = within(await screen.findByRole('list', { name: 'Account figures' }))
  expect(await figures.findByRole('link', { name: /^Imports\s*3/ })).toBeVisible()
  expect(figures.getAllByRole('link')).toHaveLength(3)
  expect(figures.queryByRole('link', { name: /^Contacts/ })).toBeNull()
})

test('recent activity shows the number of records only where there is one', async () => {
  const job = {
    kind: 'import',
    _id: '7',
    name: 'Spring leads',
    status: 'completed',
    reason: null,
    creator: 'mara@example.com',
    at: '2026-03-01T10:00:00.000Z',
    records: 0,
  }
  const missed = { ...job, kind: 'scheduled export', _id: '8', name: 'Hourly', status: 'rejected', records: null }
  serveApi({ 'GET /contact-service/v1/activity': answer([job, missed]) })
  beSignedIn({ policies: [] })
  renderApp(<HomePage />)
  const recent = within(await screen.findByRole('region', { name: 'Recent activity' }))
  expect(await recent.findByText('Import completed · 0 records · mara@example.com')).toBeVisible()
  expect(recent.getByText('Scheduled export rejected · mara@example.com')).toBeVisible()
})

const dashboardsPath = 'GET /contact-service/v1/dashboards'
const tile = (id: string, title: string) => ({
  id,
  cols: 4,
  chart: { type: 'KPI', title, filter: { standard: [] }, options: { colors: ['#3560c4'] } },
})
const text = { id: 'text', cols: 4, chart: { type: 'Text', title: 'Notes', portico: { text: 'Hello' } } }

/** The definition as the server stores it, including default values. */
const stored = (layout: object[][]) => readDefinition(JSON.stringify({ layout })).definition

function favourite(layout: object[][], isFavourite = true) {
  const list = [
    { _id: 'one', name: 'Other', isFavourite: false, version: 1, definition: '' },
    { _id: 'two', name: 'Figures', isFavourite, version: 3, definition: '' },
  ]
  return {
    [dashboardsPath]: answer(list),
    [`${dashboardsPath}/two`]: answer({ ...list[1], definition: JSON.stringify(stored(layout)) }),
    'POST /contact-service/v1/dashboards/two/cells/a': answer({
      rows: [],
      total: 0,
      kpi: { value: 1234 },
      fields: [],
      asOf: '2026-11-23T12:03:05Z',
    }),
    'GET /contact-service/v1/activity': answer([]),
  }
}

test('the figures of the favorite dashboard link to it', async () => {
  sent = serveApi(favourite([[tile('a', 'Members'), text]]))
  beSignedIn({ policies: ['contact-dashboards-list', 'contact-dashboards-view'] })
  renderApp(<HomePage />)
  const tiles = within(await screen.findByRole('region', { name: 'Figures' }))
  expect(await tiles.findByText('1.2K')).toBeVisible()
  expect(tiles.getByRole('heading', { name: 'Members' })).toBeVisible()
  expect(tiles.queryByText('Notes')).toBeNull()
  expect(tiles.getByRole('link', { name: 'Figures' })).toHaveAttribute(
    'href',
    '/contact-service/dashboards?dashboard=two',
  )
})

test('with only the right to view dashboards the link opens the read-only page', async () => {
  sent = serveApi(favourite([[tile('a', 'Members')]]))
  const menus = { contactservice: ['tom@example.com'] }
  beSignedIn({ policies: ['contact-dashboards-view'], preferences: { menus, timeout: 30 } })
  renderApp(<HomePage />)
  const link = await screen.findByRole('link', { name: 'Figures' })
  expect(link).toHaveAttribute('href', '/dashboards?dashboard=two')
})

test('without a favorite, figures in it or the right to dashboards nothing is shown or requested', async () => {
  const calls = (): string[] => sent.map(({ call }) => call).filter((call) => call.includes('dashboards'))
  sent = serveApi(favourite([[tile('a', 'Members')]], false))
  beSignedIn({ policies: ['contact-dashboards-view'] })
  const first = renderApp(<HomePage />)
  await vi.waitFor(() => expect(calls()).toEqual([dashboardsPath]))
  first.unmount()
  sent = serveApi(favourite([[text]]))
  const second = renderApp(<HomePage />)
  await vi.waitFor(() => expect(calls()).toEqual([dashboardsPath, `${dashboardsPath}/two`]))
  expect(screen.queryByRole('region', { name: 'Figures' })).toBeNull()
  second.unmount()
  sent = serveApi(favourite([[tile('a', 'Members')]]))
  beSignedIn({ policies: [] })
  renderApp(<HomePage />)
  expect(await screen.findByText('No activity yet')).toBeVisible()
  expect(calls()).toEqual([])
})
