import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { ContactPage } from '../contact-page.tsx'
import { AddContactDialog } from './add-contact-dialog.tsx'

const fields = [
  { name: 'Name', type: 'string' as const, isIndexed: false },
  { name: 'Age', type: 'number' as const, isIndexed: false },
  { name: 'Member', type: 'boolean' as const, isIndexed: false },
  { name: 'Born', type: 'day' as const, isIndexed: false },
  { name: 'Seen', type: 'date' as const, isIndexed: false },
]
const offer = { _id: '7', Name: 'Ada', Age: 30, Seen: '2026-01-31T09:30:15.250Z', Import: '0', events: [] }
const change = {
  _id: '3',
  kind: 'edited',
  changedBy: 'ben@example.com',
  changedAt: '2026-02-01T10:00:00.000Z',
  via: null,
  values: [{ field: 'Age', from: 29, to: 30 }],
  isUndone: false,
  merged: null,
}
// In tests, the page's address has no id.
const edits = 'PUT /contact-service/v1/offers/7'
const portal = {
  'GET /contact-service/v1/fields': answer(fields),
  'GET /contact-service/v1/offers/': answer(offer),
  'GET /contact-service/v1/offers/7/changes': answer([change]),
}
const editor = { policies: ['contact-offers-list', 'contact-offers-update'] }
const bodiesOf = (sent: { call: string; body: unknown }[], call: string) =>
  sent.filter((each) => each.call === call).map(({ body }) => body)
const panel = async (name: string) => within(await screen.findByRole('region', { name }))

test('without the right, no edits are offered and no history is requested', async () => {
  beSignedIn({ policies: ['contact-offers-list'] })
  const sent = serveApi(portal)
  renderApp(<ContactPage />)
  expect((await panel('Fields')).getByText('Ada')).toBeVisible()
  expect(screen.queryByRole('button', { name: /^Edit/ })).toBeNull()
  expect(screen.queryByRole('region', { name: 'Changes' })).toBeNull()
  expect(sent.some(({ call }) => call.endsWith('/changes'))).toBe(false)
})

test.each([
  ['Name', 'Name', 'Ada', 'Zoe', 'Ada', 'Zoe'],
  ['Age', 'Age', '30', '31.5', 30, 31.5],
  ['Born', 'Born', '', '1990-01-31', null, '1990-01-31'],
  ['Seen', 'Seen', '2026-01-31T09:30:15.25', '2026-01-31T10:00:05', offer.Seen, '2026-01-31T10:00:05'],
])('%s is edited by keyboard in an input of its type', async (name, label, shown, typed, from, to) => {
  beSignedIn({ ...editor, timeZone: 'UTC' })
  const sent = serveApi({ ...portal, [edits]: answer({ change: null }) })
  const { user } = renderApp(<ContactPage />)
  await user.click(await screen.findByRole('button', { name: `Edit ${name}` }))
  const input = screen.getByLabelText(label)
  await waitFor(() => expect(input).toHaveFocus())
  expect(input).toHaveValue(shown)
  await user.clear(input)
  await user.type(input, `${typed}{Enter}`)
  await waitFor(() => expect(screen.getByRole('button', { name: `Edit ${name}` })).toHaveFocus())
  expect(bodiesOf(sent, edits)).toEqual([{ changes: { [name]: { from, to } } }])
})

test('a value can be cleared, selected, or left unchanged with Escape', async () => {
  beSignedIn(editor)
  const sent = serveApi({ ...portal, [edits]: answer({ change: null }) })
  const { user } = renderApp(<ContactPage />)
  await user.click(await screen.findByRole('button', { name: 'Edit Age' }))
  await user.clear(screen.getByLabelText('Age'))
  await user.type(screen.getByLabelText('Age'), 'many{Enter}')
  expect(await screen.findByText('Enter a number, such as 1250.5.')).toBeVisible()
  await user.clear(screen.getByLabelText('Age'))
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await user.click(await screen.findByRole('button', { name: 'Edit Member' }))
  await user.selectOptions(screen.getByLabelText('Member'), 'True')
  await user.click(screen.getByRole('button', { name: 'Save' }))
  await user.click(await screen.findByRole('button', { name: 'Edit Name' }))
  await user.type(screen.getByLabelText('Name'), 'x{Escape}')
  await waitFor(() => expect(screen.getByRole('button', { name: 'Edit Name' })).toHaveFocus())
  expect(bodiesOf(sent, edits)).toEqual([
    { changes: { Age: { from: 30, to: null } } },
    { changes: { Member: { from: null, to: true } } },
  ])
})

test('an unchanged moment is not sent, so it keeps its fractions of a second', async () => {
  beSignedIn(editor)
  const sent = serveApi({ ...portal, [edits]: answer({ change: null }) })
  const { user } = renderApp(<ContactPage />)
  await user.click(await screen.findByRole('button', { name: 'Edit Seen' }))
  await user.click(screen.getByRole('button', { name: 'Save' }))
  expect(await screen.findByRole('button', { name: 'Edit Seen' })).toBeVisible()
  expect(bodiesOf(sent, edits)).toEqual([])
})

test('a conflict is shown in place with both values, and either can be kept', async () => {
  beSignedIn(editor)
  const conflict = {
    field: 'Name',
    expected: 'Ada',
    current: 'Eve',
    changedBy: 'ben@example.com',
    changedAt: '2026-02-01T10:00:00.000Z',
  }
  let asked = 0
  const sent = serveApi({
    ...portal,
    [edits]: () => (asked++ === 0 ? refusal(409, 'value_changed', 'Changed.', [conflict]) : answer({ change: null })),
  })
  const { user } = renderApp(<ContactPage />)
  await user.click(await screen.findByRole('button', { name: 'Edit Name' }))
  await user.clear(screen.getByLabelText('Name'))
  await user.type(screen.getByLabelText('Name'), 'Zoe{Enter}')
  const told = await screen.findByRole('alert')
  expect(told).toHaveTextContent(/changed to “Eve” by ben@example\.com on 2\/1\/2026.*Yours is not saved/)
  expect(screen.getByLabelText('Name')).toHaveValue('Zoe')
  await user.click(within(told).getByRole('button', { name: 'Save mine' }))
  expect(await screen.findByRole('button', { name: 'Edit Name' })).toBeVisible()
  expect(bodiesOf(sent, edits)).toEqual([
    { changes: { Name: { from: 'Ada', to: 'Zoe' } } },
    { changes: { Name: { from: 'Eve', to: 'Zoe' } } },
  ])
})

test('a conflict over a hidden value shows a message and offers no overwrite', async () => {
  beSignedIn(editor)
  serveApi({ ...portal, [edits]: refusal(409, 'value_changed', 'Changed.', [{ field: 'Name' }]) })
  const { user } = renderApp(<ContactPage />)
  await user.click(await screen.findByRole('button', { name: 'Edit Name' }))
  await user.type(screen.getByLabelText('Name'), 'x{Enter}')
  const told = await screen.findByRole('alert')
  expect(told).toHaveTextContent('The value was changed, and you may not see it any more. Yours is not saved.')
  expect(within(told).queryByRole('button', { name: 'Save mine' })).toBeNull()
  await user.click(within(told).getByRole('button', { name: 'Close' }))
  expect(await screen.findByRole('button', { name: 'Edit Name' })).toBeVisible()
})

test('the key of another contact is refused with a link to that contact', async () => {
  beSignedIn(editor)
  serveApi({ ...portal, [edits]: refusal(409, 'key_taken', 'Contact 9 has the same "Name".', { contact: '9' }) })
  const { user } = renderApp(<ContactPage />)
  await user.click(await screen.findByRole('button', { name: 'Edit Name' }))
  await user.type(screen.getByLabelText('Name'), 'x{Enter}')
  expect(await screen.findByText(/has the same "Name"/)).toBeVisible()
  expect(screen.getByRole('link', { name: 'Show that contact' })).toHaveAttribute(
    'href',
    '/contact-service/documents/9',
  )
})

test('changes are listed with both values, and can be undone', async () => {
  beSignedIn({ ...editor, timeZone: 'UTC' })
  const undone = { ...change, _id: '2', values: [{ field: 'Name', from: 'A', to: null }], isUndone: true }
  const begins = { field: 'Name', from: null, to: 'A', shortened: ['to'] }
  const added = { ...change, _id: '1', kind: 'added', values: [begins] }
  const undo = 'POST /contact-service/v1/offers/7/changes/3/undo'
  const sent = serveApi({
    ...portal,
    'GET /contact-service/v1/offers/7/changes': answer([change, undone, added]),
    [undo]: answer({ change: null }),
  })
  const { user } = renderApp(<ContactPage />)
  const changes = await panel('Changes')
  expect(await changes.findByText('3 changes')).toBeVisible()
  expect(changes.getByText(': 29 → 30')).toBeVisible()
  expect(changes.getByText(': A → no value')).toBeVisible()
  expect(changes.getByText(': A…')).toBeVisible()
  expect((await panel('Origin')).getByText('This contact was added by hand.')).toBeVisible()
  // An undone change, and the creation of a contact, have no button.
  await user.click(changes.getByRole('button', { name: 'Undo the change of Age on 2/1/2026 10:00:00 AM' }))
  expect(changes.getAllByRole('button')).toHaveLength(1)
  expect(await screen.findByText('The change was undone.')).toBeVisible()
  expect(bodiesOf(sent, undo)).toHaveLength(1)
})

test('a contact is added from values of their types, and problems show at their fields', async () => {
  beSignedIn({ policies: ['contact-offers-list', 'contact-offers-create'] })
  const adds = 'POST /contact-service/v1/offers'
  let asked = 0
  const sent = serveApi({
    [adds]: () =>
      asked++ === 0
        ? refusal(400, 'invalid_input', 'Name: Not this one.', [{ field: 'Name', message: 'Not this one.' }])
        : answer({ _id: '12' }, 201),
  })
  const { user, address } = renderApp(<AddContactDialog fields={fields} onClose={() => undefined} />)
  const dialog = within(await screen.findByRole('dialog', { name: 'Add Contact' }))
  await user.click(dialog.getByRole('button', { name: 'Add' }))
  expect(await dialog.findByText('Enter at least one value.')).toBeVisible()
  await user.type(dialog.getByLabelText('Name'), 'Zoe')
  await user.type(dialog.getByLabelText('Age'), 'x')
  await user.click(dialog.getByRole('button', { name: 'Add' }))
  expect(await dialog.findByText('Enter a number, such as 1250.5.')).toBeVisible()
  await user.clear(dialog.getByLabelText('Age'))
  await user.type(dialog.getByLabelText('Age'), '41')
  await user.selectOptions(dialog.getByLabelText('Member'), 'False')
  await user.click(dialog.getByRole('button', { name: 'Add' }))
  expect(await dialog.findByText('Not this one.')).toBeVisible()
  await user.click(dialog.getByRole('button', { name: 'Add' }))
  await waitFor(() => expect(address()).toContain('/contact-service/documents/12'))
  expect(bodiesOf(sent, adds)).toEqual([
    { values: { Name: 'Zoe', Age: 41, Member: false } },
    { values: { Name: 'Zoe', Age: 41, Member: false } },
  ])
})
