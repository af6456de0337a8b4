import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { anImport } from '#test/imports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import { ImportsPage } from './imports-page.tsx'

const imports = 'GET /contact-service/v1/imports'
const undo = '/contact-service/v1/imports/1/undo'
const list =
  (...items: unknown[]) =>
  (sent: Sent) =>
    answer('count' in sent.query ? { count: items.length } : items)
const undoable = anImport({ undoUntil: '2026-02-28T10:00:00.000Z' })
const figures = {
  removedContacts: 1500,
  removedOthers: 5,
  returnedContacts: 1,
  keptContacts: 2,
  keptValues: 3,
  removedEvents: 0,
  removedFields: ['City'],
  kept: [
    { contact: '8589934593', field: null, reason: 'events' },
    { contact: '77', field: 'Email', reason: 'changed' },
  ],
}
const rights = ['contact-offers-delete', 'contact-offers-update']
const policies = ['contact-import-list', 'contact-imports-undo', ...rights]

beforeEach(() => {
  vi.useRealTimers()
  beSignedIn({ policies })
})

async function openQuestion() {
  const { user } = renderApp(<ImportsPage />)
  await user.click(await screen.findByRole('button', { name: 'Actions for Spring leads' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Undo import' }))
  return { user, dialog: await screen.findByRole('dialog', { name: 'Undo import' }) }
}

test('lists what is removed, returned and kept before an import is taken back', async () => {
  const sent = serveApi({
    [imports]: list(undoable),
    [`GET ${undo}`]: answer(figures),
    [`POST ${undo}`]: answer(undoable, 202),
  })
  const { user, dialog } = await openQuestion()
  await waitFor(() => expect(within(dialog).getByRole('button', { name: 'No' })).toHaveFocus())
  expect(await within(dialog).findByText('1,500 contacts that it created will be deleted.')).toBeVisible()
  const others = '5 contacts will be deleted that stayed only because of it when their own import was undone.'
  expect(within(dialog).getByText(others)).toBeVisible()
  for (const text of [
    "Are you sure you want to undo 'Spring leads'?",
    '1 contact will get back the values from before.',
    '2 contacts that it created will stay: something has happened to them since.',
    '3 values will stay as they are: they were changed since.',
    'Fields that it made will be deleted once they are empty: City.',
    '8589934593: it has events',
    '77, Email: it was changed since',
  ]) {
    expect(within(dialog).getByText(text)).toBeVisible()
  }
  await user.click(within(dialog).getByRole('button', { name: 'Yes, undo it' }))
  expect(await screen.findByText("'Spring leads' is being taken back.")).toBeVisible()
  expect(sent.some(({ call }) => call === `POST ${undo}`)).toBe(true)
})

test('shows why an import cannot be taken back now', async () => {
  serveApi({
    [imports]: list(undoable),
    [`GET ${undo}`]: answer(figures),
    [`POST ${undo}`]: refusal(409, 'import_running'),
  })
  const { user, dialog } = await openQuestion()
  await within(dialog).findByText('1,500 contacts that it created will be deleted.')
  await user.click(within(dialog).getByRole('button', { name: 'Yes, undo it' }))
  expect(await within(dialog).findByRole('alert')).toBeVisible()
})

test.each([
  ['the import cannot be taken back', policies, anImport()],
  ['contacts may not be deleted', policies.filter((each) => each !== 'contact-offers-delete'), undoable],
  ['contacts may not be changed', policies.filter((each) => each !== 'contact-offers-update'), undoable],
  ['imports may not be taken back', ['contact-import-list', ...rights], undoable],
])('undo is not offered where %s', async (_what, held, item) => {
  beSignedIn({ policies: held })
  serveApi({ [imports]: list(item) })
  renderApp(<ImportsPage />)
  await screen.findByRole('rowheader', { name: 'Spring leads' })
  expect(screen.queryByRole('button', { name: 'Actions for Spring leads' })).toBeNull()
})

test('the list and the details show that an import was taken back, by whom, and what remained', async () => {
  const state = {
    status: 'completed' as const,
    by: 'ann@example.com',
    requestDate: '2026-01-31T11:00:00.000Z',
    lastActivityDate: '2026-01-31T11:00:01.000Z',
    reason: null,
  }
  serveApi({ [imports]: list(anImport({ undo: state })), [`GET ${undo}`]: answer(figures) })
  const { user } = renderApp(<ImportsPage />)
  expect(await screen.findByText('taken back')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Expand Spring leads' }))
  expect(await screen.findByText(/^taken back, by ann@example\.com, /)).toBeVisible()
  expect(await screen.findByText('8589934593: it has events')).toBeVisible()
})

test('an import of events is taken back with its events alone', async () => {
  const ofEvents = anImport({ ...undoable, kind: 'events' })
  const state = {
    status: 'completed' as const,
    by: 'ann@example.com',
    requestDate: '2026-01-31T11:00:00.000Z',
    lastActivityDate: '2026-01-31T11:00:01.000Z',
    reason: null,
  }
  const done = anImport({ _id: '2', name: 'Old clicks', kind: 'events', undo: state })
  const more = anImport({ _id: '3', name: 'More clicks', kind: 'events', undo: state })
  const removed = { ...figures, removedContacts: 0, removedOthers: 0, removedEvents: 1, removedFields: [], kept: [] }
  serveApi({
    [imports]: list(ofEvents, done, more),
    [`GET ${undo}`]: answer(removed),
    'GET /contact-service/v1/imports/2/undo': answer({ ...removed, removedEvents: 2500 }),
    'GET /contact-service/v1/imports/3/undo': answer({ ...removed, removedOthers: 77 }),
  })
  const { user, dialog } = await openQuestion()
  const text = '1 event that it recorded will be deleted. Contacts stay as they are.'
  expect(await within(dialog).findByText(text)).toBeVisible()
  expect(within(dialog).queryByText(/values/)).toBeNull()
  await user.click(within(dialog).getByRole('button', { name: 'No' }))
  await user.click(screen.getByRole('button', { name: 'Expand Old clicks' }))
  expect(await screen.findByText('2,500')).toBeVisible()
  expect(screen.queryByText('Contacts Deleted')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Expand More clicks' }))
  expect(await screen.findByText('77')).toBeVisible()
})
