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
    answer('withCount' in sent.query ? { rows: offers, count } : 'count' in sent.query ? { count } : offers)

const portal = {
  'GET /contact-service/v1/fields': answer(fields),
  'GET /contact-service/v1/offers': list([ada], 40),
  'GET /contact-service/v1/offers/7': answer({ ...ada, events: [event, { ...event, event_path: '/a' }] }),
}

beforeEach(() => {
  // Where chosen columns are stored.
  localStorage.clear()
  beSignedIn({ policies: ['contact-offers-list', 'contact-rdls-list', 'contact-import-list'] })
})

test('shows the first seven fields, formatted by type', async () => {
  serveApi(portal)
  renderApp(<ContactsPage />)
  expect(await screen.findByText('Ada')).toBeVisible()
  expect(screen.getByText('1,234.5')).toBeVisible()
  expect(screen.getByText('False')).toBeVisible()
  expect(screen.getByRole('columnheader', { name: 'Since' })).toBeVisible()
  expect(screen.queryByRole('columnheader', { name: 'Eighth' })).toBeNull()
  expect(screen.getByText('40 contacts')).toBeVisible()
})

test('page, order and search are kept in the address and sent to the server', async () => {
  const sent = serveApi(portal)
  const { user, address } = renderApp(<ContactsPage />, '/contact-service/documents?page=2&size=10')
  await screen.findByText('Ada')
  expect(sent.find(({ query }) => query['skip'])?.query).toEqual({ limit: '10', skip: '10', withCount: '' })
  await user.click(screen.getByRole('button', { name: 'Score' }))
  await user.click(screen.getByRole('button', { name: 'Score' }))
  expect(address()).toBe('/contact-service/documents?size=10&sort=Score&dir=desc')
  await user.type(screen.getByLabelText('Search contacts'), 'ada{Enter}')
  expect(address()).toContain(encodeURIComponent('"$text":{"$search":"ada"}'))
  await screen.findByText('40 contacts found')
  expect(sent.findLast(({ query }) => query['find'])?.query['find']).toContain('"$search":"ada"')
})

test('the filter builder shows its tabs in order', async () => {
  serveApi(portal)
  const { user } = renderApp(<ContactsPage />)
  await user.click(await screen.findByRole('button', { name: 'FILTERS' }))
  const tabs = ['Standard', 'Behavioral', 'By Location', 'Groupby', 'Columns', 'Predefined', 'Full Text']
  const shown = await screen.findAllByRole('tab')
  expect(shown.map(({ textContent }) => textContent)).toEqual(tabs)
})

test('a row opens all fields, fetched once, and the events', async () => {
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

test('an account without contacts links to the imports if the user may open them', async () => {
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

test('reports when the fields or the contacts cannot be loaded', async () => {
  serveApi({ ...portal, 'GET /contact-service/v1/fields': refusal(500, 'unexpected') })
  const first = renderApp(<ContactsPage />)
  expect(await screen.findByRole('alert')).toHaveTextContent("we couldn't obtain your import headers!")
  first.unmount()
  serveApi({ ...portal, 'GET /contact-service/v1/offers': refusal(422, 'timed_out', 'This took too long.') })
  renderApp(<ContactsPage />)
  expect(await screen.findByText('This took too long.')).toBeVisible()
})

const filterPath = (stages: unknown): string =>
  `/contact-service/documents?filter=${encodeURIComponent(JSON.stringify(stages))}`
const byCity = [
  { $group: { _id: { First: '$First' }, 'sum of Score': { $sum: '$Score' } } },
  { $sort: { First: 1 } },
  { $limit: 50 },
]
const groups = ['Ada', 'Bea', null].map((First, index) => ({ First, 'sum of Score': index + 0.123456 }))

test('groups replace contacts: a chart, rounded figures, rows that open their contacts', async () => {
  const sent = serveApi({ ...portal, 'GET /contact-service/v1/offers': list(groups) })
  const { user, address } = renderApp(<ContactsPage />, filterPath(byCity))
  const row = await screen.findByRole('row', { name: /^Bea/ })
  expect(screen.queryByRole('table', { name: 'Contacts' })).toBeNull()
  expect(row).toHaveTextContent('1.12')
  expect(screen.getByRole('figure', { name: 'Column chart of sum of Score by First' })).toBeInTheDocument()
  expect(await screen.findByText('3 groups')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Delete Results' })).toBeNull()
  expect(sent.find(({ query }) => query['skip'])?.query['aggregate']).toBe(JSON.stringify(byCity))
  await user.click(screen.getByRole('link', { name: 'Bea' }))
  expect(address()).toBe(filterPath([{ $match: { First: 'Bea' } }]).replaceAll('%20', '+'))
})

test('groups are exported as they are shown', async () => {
  beSignedIn({ policies: ['contact-offers-list', 'contact-export-create', 'contact-offers-delete'] })
  const sent = serveApi({
    ...portal,
    'GET /contact-service/v1/offers': list(groups),
    'POST /contact-service/v1/exports': answer({ name: 'Scores' }, 201),
  })
  const { user } = renderApp(<ContactsPage />, `${filterPath(byCity)}&sort=sum+of+Score&dir=desc`)
  await user.click(await screen.findByRole('button', { name: 'Export Results' }))
  const dialog = await screen.findByRole('dialog', { name: 'Export These Results' })
  expect(dialog).toHaveTextContent('3 groups.')
  expect(within(dialog).getByRole('region', { name: 'File columns' })).toHaveTextContent(/First.*sum of Score$/)
  await user.type(within(dialog).getByRole('textbox', { name: 'Export Name' }), 'Scores')
  await user.click(within(dialog).getByRole('button', { name: 'Submit' }))
  expect(await screen.findByText("'Scores' was submitted.")).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toEqual({
    name: 'Scores',
    delimiter: 'csv',
    exportFields: ['First', 'sum of Score'],
    aggregateQuery: JSON.stringify([...byCity, { $sort: { 'sum of Score': -1 } }]),
  })
})

test.each([
  ['groups', byCity, groups, 'Groups cannot be deleted. Open a group to delete its contacts.'],
  [
    'a number of contacts',
    [{ $limit: 10 }],
    [ada],
    'Only contacts found by a filter can be deleted, not computed results.',
  ],
])('%s cannot be deleted, and the button says why', async (_what, stages, rows, reason) => {
  beSignedIn({ policies: ['contact-offers-list', 'contact-offers-delete'] })
  serveApi({ ...portal, 'GET /contact-service/v1/offers': list(rows) })
  const { user } = renderApp(<ContactsPage />, filterPath(stages))
  await user.click(await screen.findByRole('button', { name: 'Delete Results' }))
  expect(await screen.findByRole('tooltip')).toHaveTextContent(reason)
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('contacts are exported with event fields too, one row per event', async () => {
  beSignedIn({ policies: ['contact-offers-list', 'contact-export-create'] })
  const sent = serveApi({
    ...portal,
    'GET /contact-service/v1/fields/events': answer([{ name: 'price' }]),
    'POST /contact-service/v1/exports': answer({ name: 'Prices' }, 201),
  })
  const { user } = renderApp(<ContactsPage />)
  await user.click(await screen.findByRole('button', { name: 'Export Results' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Export These Results' }))
  await user.type(dialog.getByRole('textbox', { name: 'Export Name' }), 'Prices')
  await user.type(dialog.getByRole('combobox', { name: /^Fields to export/ }), 'events.pri')
  await user.click(await screen.findByRole('option', { name: 'events.price' }))
  expect(dialog.getByText(/^With event fields, the file has one row per event/)).toBeVisible()
  await user.click(dialog.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByText("'Prices' was submitted.")).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toMatchObject({
    exportFields: [...names.slice(0, 7), 'events.price'],
  })
})

test('two groups of one key have no chart', async () => {
  serveApi({ ...portal, 'GET /contact-service/v1/offers': list(groups.slice(0, 2)) })
  renderApp(<ContactsPage />, filterPath(byCity))
  expect(await screen.findByRole('link', { name: 'Bea' })).toBeVisible()
  expect(screen.queryByRole('figure')).toBeNull()
})

test('Delete Results needs the right to delete and at least one result', async () => {
  serveApi(portal)
  const first = renderApp(<ContactsPage />)
  await screen.findByText('40 contacts')
  expect(screen.queryByRole('button', { name: 'Delete Results' })).toBeNull()
  first.unmount()
  beSignedIn({ policies: ['contact-offers-list', 'contact-offers-delete'] })
  const second = renderApp(<ContactsPage />)
  await screen.findByText('40 contacts')
  expect(screen.getByRole('button', { name: 'Delete Results' })).toBeVisible()
  second.unmount()
  serveApi({ ...portal, 'GET /contact-service/v1/offers': list([]) })
  renderApp(<ContactsPage />)
  await screen.findByText('No contacts are available.')
  expect(screen.queryByRole('button', { name: 'Delete Results' })).toBeNull()
})

test('the selected columns and their order are restored', async () => {
  serveApi(portal)
  const { user, unmount } = renderApp(<ContactsPage />)
  await screen.findByText('Ada')
  await user.click(screen.getByRole('button', { name: 'Columns' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Columns' }))
  await user.click(dialog.getByRole('button', { name: 'Clear' }))
  expect(dialog.getByRole('button', { name: 'Apply' })).toBeDisabled()
  await user.click(dialog.getByRole('combobox', { name: /^Columns/ }))
  for (const name of ['Eighth', 'First']) await user.click(await screen.findByRole('option', { name }))
  await user.click(dialog.getByRole('button', { name: 'Move First up' }))
  await user.click(dialog.getByRole('button', { name: 'Apply' }))
  const titles = () => screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(titles()).toEqual(['Details', 'First', 'Eighth'])
  unmount()
  const again = renderApp(<ContactsPage />)
  await screen.findByText('Ada')
  expect(titles()).toEqual(['Details', 'First', 'Eighth'])
  again.unmount()
  // Other users have their own.
  beSignedIn({ policies: ['contact-offers-list'], email: 'jon@example.com' })
  const others = renderApp(<ContactsPage />)
  await screen.findByText('Ada')
  expect(titles()).toHaveLength(8)
  others.unmount()
  // A search may have its own.
  beSignedIn({ policies: ['contact-offers-list'] })
  renderApp(<ContactsPage />, filterPath([{ $project: { Last: 1 } }]))
  await screen.findByText('Lovelace')
  expect(titles()).toEqual(['Details', 'Last'])
})

test('a saved filter needs the right to see saved filters', async () => {
  beSignedIn({ policies: ['contact-offers-list'] })
  const sent = serveApi(portal)
  const filter = JSON.stringify([{ $predefined: '17' }])
  const { user } = renderApp(<ContactsPage />, `/contact-service/documents?${new URLSearchParams({ filter })}`)
  expect(await screen.findByRole('alert')).toHaveTextContent('Predefined filters need the feature contact-rdls-list.')
  await user.click(screen.getByRole('button', { name: 'FILTERS (1)' }))
  expect(screen.queryByLabelText('Counting contacts')).toBeNull()
  expect(sent.some(({ call }) => call.includes('rdls'))).toBe(false)
})

test('a missing saved filter and missing fields are reported', async () => {
  serveApi(portal)
  const first = renderApp(<ContactsPage />, filterPath([{ $predefined: '9' }]))
  expect(await screen.findByText('The saved filter could not be found.')).toBeVisible()
  expect(screen.getByText('Contacts of a saved filter.')).toBeVisible()
  first.unmount()
  renderApp(<ContactsPage />, filterPath([{ $match: { Town: 'Oslo' } }]))
  expect(await screen.findByText('Unexpected field in standard filter: "Town"')).toBeVisible()
})

test('an address with an invalid filter finds nothing, rather than everything', async () => {
  beSignedIn({ policies: ['contact-offers-list', 'contact-offers-delete'] })
  const sent = serveApi(portal)
  const { user, address } = renderApp(<ContactsPage />, '/contact-service/documents?filter=%5B%7B%22%24mat')
  expect(await screen.findByText('The filter in this address is not valid.')).toBeVisible()
  expect(screen.getByText('No contacts are available.')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Delete Results' })).toBeNull()
  expect(sent.some(({ call }) => call.endsWith('/offers'))).toBe(false)
  await user.click(screen.getByRole('button', { name: 'Show all contacts' }))
  expect(await screen.findByText('Ada')).toBeVisible()
  expect(address()).toBe('/contact-service/documents')
})

test('a filter that no row can show is kept in the panel as its text, and works', async () => {
  const sent = serveApi(portal)
  const stages = [{ $match: { $or: [{ City: 'Oslo' }, { City: 'Bergen' }] } }]
  const { user } = renderApp(<ContactsPage />, filterPath(stages))
  await screen.findByText('Ada')
  expect(JSON.parse(sent.find(({ query }) => 'find' in query)?.query['find'] ?? '')).toEqual(stages)
  await user.click(screen.getByRole('button', { name: 'FILTERS' }))
  expect(await screen.findByText(/The tabs cannot show this filter\./)).toBeVisible()
  expect(screen.getByRole('region', { name: 'Advanced filter' })).toHaveTextContent('"City": "Bergen"')
})

test('a saved filter is searched by its conditions and shown by its name', async () => {
  const saved = { _id: '9', name: 'Best', showInSubaccounts: false, isOwn: true }
  const sent = serveApi({
    ...portal,
    'GET /contact-service/v1/rdls/9': answer({
      ...saved,
      aggregateQuery: '[{"$match":{"$and":[{"Score":{"$gt":5}}]}}]',
    }),
  })
  renderApp(<ContactsPage />, filterPath([{ $predefined: '9' }]))
  expect(await screen.findByText('Contacts of the saved filter “Best”.')).toBeVisible()
  await screen.findByText('Ada')
  expect(sent.find(({ query }) => query['skip'])?.query['find']).toBe('[{"$match":{"$and":[{"Score":{"$gt":5}}]}}]')
})

test('building the full-text index shows a note, and results that timed out load once it is ready', async () => {
  let isBuilt = false
  serveApi({
    ...portal,
    'GET /contact-service/v1/indexes/words': () =>
      answer(isBuilt ? { state: 'ready', progress: null } : { state: 'building', progress: 0.4 }),
    'GET /contact-service/v1/offers': (sent) =>
      isBuilt ? portal['GET /contact-service/v1/offers'](sent) : refusal(422, 'timed_out', 'This took too long.'),
  })
  renderApp(<ContactsPage />, filterPath([{ $match: { $text: { $search: 'ada' } } }]))
  expect(await screen.findByText('Contacts appear here once the full-text index is ready.')).toBeVisible()
  expect(screen.getByRole('progressbar', { name: 'Full-text index progress' })).toHaveAttribute('aria-valuenow', '40')
  expect(screen.queryByText('This took too long.')).toBeNull()
  isBuilt = true
  expect(await screen.findByText('Lovelace', {}, { timeout: 5000 })).toBeVisible()
  expect(screen.queryByRole('progressbar')).toBeNull()
})

test('the state of the full-text index is requested only by full-text searches', async () => {
  const sent = serveApi(portal)
  renderApp(<ContactsPage />, filterPath([{ $match: { $and: [{ First: 'Ada' }] } }]))
  expect(await screen.findByText('Lovelace')).toBeVisible()
  expect(sent.some(({ call }) => call.endsWith('/indexes/words'))).toBe(false)
})
