import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { ContactTimeline } from './contact-timeline.tsx'
import { ContactPage } from './contact-page.tsx'

const fields = ['First', 'Last', 'Member'].map((name) => ({ name, type: 'string', isIndexed: false }))
const event = { event_code: 'click', event_date: '2026-01-31T10:00:00.000Z', app_code: 'site', is_trigger: true }
const offer = {
  _id: String((3n << 33n) + 41n),
  First: 'Ada',
  Last: 'Lovelace',
  Member: false,
  purl: 'adalovelace2',
  basePurl: 'adalovelace',
  purlNumber: 2,
  Import: '3',
  events: [{ ...event, event_path: '/spring', browser: 'Firefox', details: { order: 12.5 } }],
}
const portal = {
  'GET /contact-service/v1/fields': answer(fields),
  'GET /contact-service/v1/imports/3': refusal(404, 'not_found'),
}

beforeEach(() => beSignedIn({ policies: ['contact-offers-list'] }))

test('a contact shows its fields, PURL, origin and events', async () => {
  // In tests, the page's address has no id.
  const sent = serveApi({ ...portal, 'GET /contact-service/v1/offers/': answer(offer) })
  const { user } = renderApp(<ContactPage />)
  expect(await screen.findByRole('heading', { level: 1, name: 'Ada Lovelace' })).toBeVisible()
  const panel = (name: string) => within(screen.getByRole('region', { name }))
  expect(panel('Fields').getByText('3 fields')).toBeVisible()
  expect(panel('Fields').getByText('False')).toBeVisible()
  expect(panel('PURL').getByText('adalovelace2')).toBeVisible()
  // Without the right to see imports, no details of the import are requested.
  expect(panel('Origin').getByText('3')).toBeVisible()
  expect(sent.some(({ call }) => call.includes('/imports/'))).toBe(false)
  expect(panel('Events').getByText('site · /spring')).toBeVisible()
  await user.click(panel('Events').getByRole('button', { name: /^Details of click/ }))
  expect(panel('Events').getByText('Firefox')).toBeVisible()
  expect(panel('Events').getByText('12.5')).toBeVisible()
})

test('all dates of a contact are in the time zone of the account', async () => {
  beSignedIn({ policies: ['contact-offers-list'], timeZone: 'Pacific/Kiritimati' })
  const born = { ...offer, Born: '1995-02-07T10:00:00.000Z' }
  serveApi({
    ...portal,
    'GET /contact-service/v1/fields': answer([...fields, { name: 'Born', type: 'date', isIndexed: false }]),
    'GET /contact-service/v1/offers/': answer(born),
  })
  renderApp(<ContactPage />)
  const panel = async (name: string) => within(await screen.findByRole('region', { name }))
  // Fourteen hours ahead of London.
  expect((await panel('Fields')).getByText('2/8/1995 12:00:00 AM')).toBeVisible()
  expect(
    (await panel('Fields')).getByText('· Dates are in the time zone Pacific/Kiritimati.', { exact: false }),
  ).toBeVisible()
  expect((await panel('Events')).getByText('2/1/2026')).toBeVisible()
})

test('a contact that does not exist shows a message', async () => {
  serveApi(portal)
  renderApp(<ContactPage />)
  expect(await screen.findByText('This contact is not available.')).toBeVisible()
})

test('a long history is shown in portions, and older events are fetched on request', async () => {
  const codeAt = (skip: number) =>
    skip >= 300 ? [] : Array.from({ length: 100 }, (_, at) => ({ ...event, event_code: `old ${skip + at}` }))
  const sent = serveApi({
    'GET /contact-service/v1/offers/7/events': ({ query }) => answer(codeAt(Number(query['skip']))),
  })
  const older = () => sent.map(({ query }) => query['skip'])
  const { user } = renderApp(<ContactTimeline id="7" events={Array.from({ length: 100 }, () => event)} />)
  expect(await screen.findAllByText('click')).toHaveLength(50)
  expect(older()).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Show more of 100 events' }))
  expect(screen.getAllByText('click')).toHaveLength(100)
  for (const last of [149, 199, 249, 299]) {
    await user.click(await screen.findByRole('button', { name: 'Show older events' }))
    expect(await screen.findByText(`old ${last}`)).toBeVisible()
  }
  await waitFor(() => expect(screen.queryByRole('button', { name: /^Show/ })).toBeNull())
  expect(older()).toEqual(['100', '200', '300'])
  expect(screen.getAllByRole('listitem')).toHaveLength(301)
})

test('a history that ends with a portion offers no older events', async () => {
  serveApi({ 'GET /contact-service/v1/offers/7/events': answer([]) })
  const { user } = renderApp(<ContactTimeline id="7" events={Array.from({ length: 60 }, () => event)} />)
  await user.click(await screen.findByRole('button', { name: 'Show more of 60 events' }))
  expect(screen.getAllByText('click')).toHaveLength(60)
  await waitFor(() => expect(screen.queryByRole('button', { name: /^Show/ })).toBeNull())
})

test.each([
  [1042, '1,042'],
  [null, 'Not known'],
])('the line of the file is shown only with the right to see imports: %s', async (line, shown) => {
  beSignedIn({ policies: ['contact-offers-list', 'contact-import-list'] })
  const creationDate = '2026-01-31T10:00:00.000Z'
  serveApi({
    ...portal,
    'GET /contact-service/v1/offers/': answer(offer),
    'GET /contact-service/v1/imports/3': answer({
      name: 'Spring leads',
      filePath: 'a.csv',
      creationDate,
      creator: 'Mo',
    }),
    [`GET /contact-service/v1/imports/3/contacts/${offer._id}`]: answer({ line }),
  })
  renderApp(<ContactPage />)
  const origin = within(await screen.findByRole('region', { name: 'Origin' }))
  expect(await origin.findByText(shown)).toBeVisible()
  expect(origin.getByRole('link', { name: 'Spring leads' })).toBeVisible()
})

test('the link back returns to the previous search', async () => {
  serveApi({ ...portal, 'GET /contact-service/v1/offers/': answer(offer) })
  const first = renderApp(<ContactPage />, { pathname: '/', state: { search: '?filter=%5B%5D&page=3' } })
  const back = () => screen.getByRole('link', { name: 'Search & Analyze' })
  await screen.findByRole('heading', { level: 1, name: 'Ada Lovelace' })
  expect(back()).toHaveAttribute('href', '/contact-service/documents?filter=%5B%5D&page=3')
  first.unmount()
  renderApp(<ContactPage />)
  await screen.findByRole('heading', { level: 1, name: 'Ada Lovelace' })
  expect(back()).toHaveAttribute('href', '/contact-service/documents')
})
