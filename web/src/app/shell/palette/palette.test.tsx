import type { User } from '@portico/contract/sign-in'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import { Palette } from './palette.tsx'

const named = (...names: string[]) => names.map((name, at) => ({ _id: String(at + 1), name, status: 'completed' }))
const filters = named('Spring in Paris', 'Autumn', 'Everyone since spring')
const people = [
  { _id: '1', email: 'may@example.com', userName: 'May Springer', groups: [] },
  { _id: '2', email: 'tom@example.com', userName: null, groups: [] },
]
const contact = { _id: '77', First: 'Ada', Last: 'Lovelace', Email: 'spring@example.com' }

const portal = {
  'GET /identity/v1/accounts': answer([{ Key: 1, Value: 'Northwind', parent: null }]),
  'GET /contact-service/v1/imports': answer(named('Spring leads')),
  'GET /contact-service/v1/exports': answer(named('Spring list')),
  'GET /contact-service/v1/rdls': answer(filters),
  'GET /contact-service/v1/fields': answer(
    ['First', 'Last', 'Email'].map((name) => ({ name, type: 'string', isIndexed: false })),
  ),
  'GET /contact-service/v1/offers/suggestions': answer([contact]),
  'GET /identity/v1/identities': answer(people),
}

const everything: Partial<User> = {
  policies: ['contact-import-list', 'contact-export-list', 'contact-offers-list', 'contact-rdls-list'],
  isPowerUser: true,
}

function open(user: Partial<User> = everything) {
  beSignedIn(user)
  return renderApp(<Palette asked={1} onShortcutsOpen={() => undefined} />)
}

const field = () => screen.findByLabelText('Search records, screens, actions and accounts')
const group = (name: string) => screen.findByRole('group', { name })
const buttonsOf = async (name: string) =>
  within(await group(name))
    .getAllByRole('button')
    .map((button) => button.textContent)
const status = () => screen.getByRole('status')
/** The requests for records; those for commands are made by the shell. */
const asked = (sent: Sent[]) => sent.filter(({ call }) => !/(accounts|deployment)$/.test(call))

test('finds records of every kind by name, under headings, after the commands', async () => {
  const sent = serveApi(portal)
  const { user } = open()
  await user.type(await field(), 'Spring')
  await waitFor(() => expect(status()).toHaveTextContent('6 records shown'))
  expect(await buttonsOf('Imports')).toEqual(['Spring leads'])
  expect(await buttonsOf('Exports')).toEqual(['Spring list'])
  expect(await buttonsOf('Contacts')).toEqual(['Ada Lovelacespring@example.com'])
  expect(await buttonsOf('Segments')).toEqual(['Spring in Paris', 'Everyone since spring'])
  expect(await buttonsOf('People')).toEqual(['May Springermay@example.com'])
  expect(await buttonsOf('Search & Analyze')).toEqual(['Search contacts for “Spring”'])
  const find = JSON.stringify([{ $match: { name: { $regex: 'Spring', $options: 'i' } } }])
  expect(sent.filter(({ call }) => call.endsWith('/imports')).map(({ query }) => query)).toEqual([
    { find, limit: '5', skip: '0' },
  ])
  expect(sent.find(({ call }) => call.endsWith('/suggestions'))?.query).toEqual({ text: 'Spring', limit: '5' })
})

test('sends no request below two characters, and none for contacts below three', async () => {
  const sent = serveApi(portal)
  const { user } = open()
  await user.type(await field(), 's')
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(asked(sent)).toEqual([])
  await user.type(await field(), 'p')
  expect(await buttonsOf('Imports')).toEqual(['Spring leads'])
  expect(sent.some(({ call }) => call.endsWith('/suggestions'))).toBe(false)
})

test('sends one request for text typed without a pause', async () => {
  const sent = serveApi(portal)
  open()
  const box = await field()
  // In one step: on a busy machine, single keystrokes may be further apart than the debounce.
  for (const text of ['s', 'sp', 'spr', 'spring']) fireEvent.change(box, { target: { value: text } })
  await group('Imports')
  expect(sent.filter(({ call }) => call.endsWith('/imports'))).toHaveLength(1)
})

test('sends no more requests once a command is chosen', async () => {
  const sent = serveApi(portal)
  open()
  const box = await field()
  fireEvent.change(box, { target: { value: 'shortcuts' } })
  fireEvent.keyDown(box, { key: 'Enter', code: 'Enter' })
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect(asked(sent)).toEqual([])
})

test.each<[string, Partial<User>, string[]]>([
  ['nothing of their account', { policies: [] }, []],
  ['imports alone', { policies: ['contact-import-list'] }, ['GET /contact-service/v1/imports']],
  ['segments alone', { policies: ['contact-rdls-list'] }, ['GET /contact-service/v1/rdls']],
  [
    'contacts',
    { policies: ['contact-offers-list'] },
    ['GET /contact-service/v1/offers/suggestions', 'GET /contact-service/v1/fields'],
  ],
  [
    'all of a menu that is hidden from them',
    { ...everything, preferences: { menus: {}, timeout: 30 } },
    ['GET /identity/v1/identities'],
  ],
])('requests only what the user may list: %s', async (_who, user, calls) => {
  const sent = serveApi(portal)
  open(user)
  fireEvent.change(await field(), { target: { value: 'spring' } })
  await waitFor(() => expect(asked(sent).map(({ call }) => call)).toEqual(expect.arrayContaining(calls)))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(
    asked(sent)
      .map(({ call }) => call)
      .toSorted(),
  ).toEqual(calls.toSorted())
})

test('a failed search is reported and hides no other results', async () => {
  serveApi({
    ...portal,
    'GET /contact-service/v1/exports': refusal(500, 'unexpected'),
    'GET /contact-service/v1/offers/suggestions': refusal(422, 'timed_out'),
  })
  const { user } = open()
  await user.type(await field(), 'spring')
  await waitFor(() => expect(status()).toHaveTextContent('Exports and Contacts could not be searched.'))
  expect(await buttonsOf('Imports')).toEqual(['Spring leads'])
  expect(screen.queryByRole('group', { name: 'Exports' })).toBeNull()
})

test('shows that it is searching, and that it found nothing', async () => {
  serveApi({ ...portal, 'GET /contact-service/v1/imports': answer([]) })
  const { user } = open({ policies: ['contact-import-list'] })
  await user.type(await field(), 'no such thing')
  expect(status()).toHaveTextContent('Searching records…')
  await waitFor(() => expect(status()).toHaveTextContent('No records found'))
  expect(screen.getByText('Nothing found.')).toBeVisible()
})

test('a change of the text aborts the requests for the previous text', async () => {
  serveApi(portal)
  const signals: AbortSignal[] = []
  const answering = fetch
  vi.stubGlobal('fetch', (address: string, init: RequestInit) => {
    if (!address.includes('/imports')) return answering(address, init)
    if (init.signal) signals.push(init.signal)
    return new Promise<Response>(() => undefined)
  })
  const { user } = open({ policies: ['contact-import-list'] })
  await user.type(await field(), 'spr')
  await waitFor(() => expect(signals).toHaveLength(1))
  expect(signals[0]?.aborted).toBe(false)
  await user.type(await field(), 'i')
  expect(signals[0]?.aborted).toBe(true)
  await waitFor(() => expect(signals).toHaveLength(2))
})

test.each([
  ['Imports', 'Spring leads', '/contact-service/imports?name=Spring+leads'],
  ['Exports', 'Spring list', '/contact-service/exports?name=Spring+list'],
  ['Contacts', 'Ada Lovelace', '/contact-service/documents/77'],
  [
    'Search & Analyze',
    'Search contacts for “spring”',
    `/contact-service/documents?${new URLSearchParams({ filter: '[{"$match":{"$text":{"$search":"spring"}}}]' })}`,
  ],
  ['Segments', 'Spring in Paris', '/contact-service/segments/1'],
  ['People', 'May Springer', '/iam/identities?search=may%40example.com'],
])('%s: "%s" opens %s', async (heading, name, place) => {
  serveApi(portal)
  const { user, address } = open()
  await user.type(await field(), 'spring')
  await user.click(await within(await group(heading)).findByText(name))
  expect(address()).toBe(place)
})

test('arrows and Enter work for records as for commands, including records that arrive later', async () => {
  serveApi(portal)
  const { user, address } = open()
  await user.type(await field(), 'spring')
  await group('People')
  const marked = () => document.querySelector('[data-selected]')?.textContent
  // No command matches: the mark is at the first record as soon as that is found.
  await waitFor(() => expect(marked()).toBe('Spring leads'))
  await user.keyboard('{ArrowDown}')
  expect(marked()).toBe('Spring list')
  await user.keyboard('{Enter}')
  expect(address()).toBe('/contact-service/exports?name=Spring+list')
})

test('commands come first, matched by label before keywords', async () => {
  serveApi(portal)
  const { user } = open()
  await user.type(await field(), 'theme')
  expect(await buttonsOf('Do')).toEqual(['Theme: dark', 'Theme: system'])
  await user.clear(await field())
  await user.type(await field(), 'imp')
  const groups = () => screen.getAllByRole('group').map((one) => one.getAttribute('aria-label'))
  await group('Imports')
  expect(groups()[0]).toBe('Go to')
})
