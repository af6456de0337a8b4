import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { describeRow, originOf } from './contact-origin.ts'
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
  // The page of a test has no id in its address.
  const sent = serveApi({ ...portal, 'GET /contact-service/v1/offers/': answer(offer) })
  const { user } = renderApp(<ContactPage />)
  expect(await screen.findByRole('heading', { level: 1, name: 'Ada Lovelace' })).toBeVisible()
  const panel = (name: string) => within(screen.getByRole('region', { name }))
  expect(panel('Fields').getByText('3 fields')).toBeVisible()
  expect(panel('Fields').getByText('False')).toBeVisible()
  expect(panel('PURL').getByText('adalovelace2')).toBeVisible()
  expect(panel('Origin').getByText('42 of those loaded')).toBeVisible()
  // Without the right to see imports their names are not asked for.
  expect(sent.some(({ call }) => call.includes('/imports/'))).toBe(false)
  expect(panel('Events').getByText('site · /spring')).toBeVisible()
  await user.click(panel('Events').getByRole('button', { name: /^Details of click/ }))
  expect(panel('Events').getByText('Firefox')).toBeVisible()
  expect(panel('Events').getByText('12.5')).toBeVisible()
})

test('a contact that is not there says so', async () => {
  serveApi(portal)
  renderApp(<ContactPage />)
  expect(await screen.findByText('This contact is not available.')).toBeVisible()
})

test('a long history is shown in portions', async () => {
  serveApi({})
  const { user } = renderApp(<ContactTimeline events={Array.from({ length: 120 }, () => event)} />)
  expect(await screen.findAllByText('click')).toHaveLength(50)
  await user.click(screen.getByRole('button', { name: 'Show more of 120 events' }))
  await user.click(screen.getByRole('button', { name: 'Show more of 120 events' }))
  expect(screen.getAllByText('click')).toHaveLength(120)
  expect(screen.queryByRole('button', { name: /Show more/ })).toBeNull()
})

test('the row is that of the file only where no row was set aside', () => {
  const origin = { importId: '3', row: 1042 }
  expect(describeRow(origin, 0)).toBe('1,042')
  expect(describeRow(origin, 1)).toBe('1,042 of those loaded; 1 row set aside')
  expect(describeRow(origin, undefined)).toBe('1,042 of those loaded')
  expect(describeRow({ ...origin, row: null }, 0)).toBe('Not known')
})

test('what was not made by an import has no row', () => {
  expect(originOf({ _id: String(5n << 33n), Import: '5' })).toEqual({ importId: '5', row: 1 })
  expect(originOf({ _id: '17', Import: '5' })).toEqual({ importId: '5', row: null })
  expect(originOf({ _id: '17' })).toBeNull()
})
