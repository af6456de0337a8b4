import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import { ContactsPage } from './contacts-page.tsx'

const names = ['First', 'Last', 'Email', 'City', 'Score', 'Active', 'Since', 'Eighth']
const types = ['string', 'string', 'string', 'string', 'number', 'boolean', 'date', 'string']
const fields = names.map((name, index) => ({ name, type: types[index], isIndexed: false }))
const ada = { _id: '7', First: 'Ada', Last: 'Lovelace', Score: 1234.5, Active: false, Eighth: 'last one', purl: 'adal' }
const event = { event_code: 'click', event_date: '2026-01-31T10:00:00.000Z', app_code: 'web', is_trigger: true }

const list =
  (offers: unknown[], count = offers.length) =>
  (sent: Sent) =>
    answer('count' in sent.query ? { count } : offers)

const portal = {
  'GET /contact-service/v1/fields': answer(fields),
  'GET /contact-service/v1/offers': list([ada], 40),
  'GET /contact-service/v1/offers/7': answer({ ...ada, events: [event, { ...event, event_path: '/a' }] }),
}

beforeEach(() => beSignedIn({ policies: ['contact-offers-list', 'contact-import-list'] }))

test('shows the first seven fields, by their type', async () => {
  serveApi(portal)
  renderApp(<ContactsPage />)
  expect(await screen.findByText('Ada')).toBeVisible()
  expect(screen.getByText('1,234.5')).toBeVisible()
  expect(screen.getByText('False')).toBeVisible()
  expect(screen.getByRole('columnheader', { name: 'Since' })).toBeVisible()
  expect(screen.queryByRole('columnheader', { name: 'Eighth' })).toBeNull()
  expect(screen.getByText('40 contacts')).toBeVisible()
})

test('page, order and search live in the address and reach the server', async () => {
  const sent = serveApi(portal)
  const { user, address } = renderApp(<ContactsPage />, '/contact-service/documents?page=2&size=10')
  await screen.findByText('Ada')
  expect(sent.find(({ query }) => query['skip'])?.query).toEqual({ limit: '10', skip: '10' })
  await user.click(screen.getByRole('button', { name: 'Score' }))
  await user.click(screen.getByRole('button', { name: 'Score' }))
  expect(address()).toBe('/contact-service/documents?size=10&sort=Score&dir=desc')
  await user.type(screen.getByLabelText('Search contacts'), 'ada{Enter}')
  expect(address()).toContain('q=ada')
  await screen.findByText('40 contacts found')
  expect(sent.at(-1)?.query['find']).toContain('"$regex":"ada"')
})

test('a row opens to all fields, fetched once, and to its events', async () => {
  const sent = serveApi(portal)
  const { user } = renderApp(<ContactsPage />)
  await user.click(await screen.findByRole('button', { name: 'Expand Ada Lovelace' }))
  expect(await screen.findByText('# of Fields')).toHaveTextContent('# of Fields 7')
  expect(screen.getByText('last one')).toBeVisible()
  expect(screen.getByText('adal')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Collapse Ada Lovelace' }))
  await user.click(screen.getByRole('button', { name: 'Expand Ada Lovelace' }))
  expect(sent.filter(({ call }) => call.endsWith('/offers/7'))).toHaveLength(1)

  await user.click(screen.getByRole('button', { name: 'Events (2)' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Events' }))
  await user.click(dialog.getByRole('button', { name: 'Expand event 1' }))
  expect(dialog.getByText('No details are available')).toBeVisible()
  await user.click(dialog.getByRole('button', { name: 'Expand event 2' }))
  expect(dialog.getByText('/a')).toBeVisible()
})

test('an account without contacts is led to the imports, where the user may go there', async () => {
  const empty = { ...portal, 'GET /contact-service/v1/fields': answer([]), 'GET /contact-service/v1/offers': list([]) }
  serveApi(empty)
  const first = renderApp(<ContactsPage />)
  expect(await screen.findByRole('link', { name: 'Go to Imports' })).toHaveAttribute('href', '/contact-service/imports')
  first.unmount()
  beSignedIn({ policies: ['contact-offers-list'] })
  renderApp(<ContactsPage />)
  expect(await screen.findByText('No contacts are available.')).toBeVisible()
  expect(screen.queryByRole('link', { name: 'Go to Imports' })).toBeNull()
})

test('says when the fields or the contacts cannot be obtained', async () => {
  serveApi({ ...portal, 'GET /contact-service/v1/fields': refusal(500, 'unexpected') })
  const first = renderApp(<ContactsPage />)
  expect(await screen.findByRole('alert')).toHaveTextContent("we couldn't obtain your import headers!")
  first.unmount()
  serveApi({ ...portal, 'GET /contact-service/v1/offers': refusal(422, 'timed_out', 'This took too long.') })
  renderApp(<ContactsPage />)
  expect(await screen.findByText('This took too long.')).toBeVisible()
})
