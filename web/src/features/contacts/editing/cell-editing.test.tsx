import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import { ContactsPage } from '../contacts-page.tsx'

const offers = '/contact-service/v1/offers'
const fields = [
  { name: 'Name', type: 'string', isIndexed: false },
  { name: 'Age', type: 'number', isIndexed: false },
  { name: 'Member', type: 'boolean', isIndexed: false },
]
const rows = [
  { _id: '7', Name: 'Ada', Age: 30, Member: true, purl: 'ada' },
  { _id: '8', Name: 'Bob', Member: false, purl: 'bob' },
]
const portal = {
  'GET /contact-service/v1/fields': answer(fields),
  [`GET ${offers}`]: answer({ rows, count: 2 }),
  [`GET ${offers}/7`]: answer({ ...rows[0], events: [] }),
}
const editor = { policies: ['contact-offers-list', 'contact-offers-update'] }
const edits = `PUT ${offers}/7`
const bodiesOf = (sent: Sent[], call: string) => sent.filter((each) => each.call === call).map(({ body }) => body)
const cellOf = (text: string) => screen.findByRole('button', { name: text })

beforeEach(() => {
  // Where chosen columns are stored.
  localStorage.clear()
  beSignedIn(editor)
})

test('a double click on a cell opens an input of its type, and leaves the row closed', async () => {
  const sent = serveApi({ ...portal, [edits]: answer({ change: null }) })
  const { user } = renderApp(<ContactsPage />)
  await user.dblClick(await screen.findByRole('cell', { name: '30' }))
  const input = await screen.findByLabelText('Age')
  expect(input).toHaveValue('30')
  await user.clear(input)
  await user.type(input, '31{Enter}')
  await waitFor(() => expect(screen.queryByLabelText('Age')).toBeNull())
  expect(bodiesOf(sent, edits)).toEqual([{ changes: { Age: { from: 30, to: 31 } } }])
  await waitFor(async () => expect(await cellOf('30')).toHaveFocus())
  expect(screen.getByRole('button', { name: 'Expand Ada 30' })).toHaveAttribute('aria-expanded', 'false')
  await user.click(screen.getByText('30'))
  expect(await screen.findByRole('button', { name: 'Collapse Ada 30' })).toBeVisible()
})

test('cells are one stop of the Tab key, arrow keys move between them, Enter edits and Escape cancels', async () => {
  const sent = serveApi(portal)
  const { user } = renderApp(<ContactsPage />)
  const ada = await cellOf('Ada')
  expect(screen.getAllByRole('button').filter((cell) => cell.matches('td *, th *') && cell.tabIndex === 0)).toContain(
    ada,
  )
  ada.focus()
  await user.keyboard('{ArrowRight}{ArrowDown}')
  expect(await cellOf('No value')).toHaveFocus()
  await user.keyboard('{ArrowDown}{ArrowRight}{Enter}')
  const input = await screen.findByLabelText('Member')
  await waitFor(() => expect(input).toHaveFocus())
  await user.selectOptions(input, 'True')
  await user.keyboard('{Escape}')
  await waitFor(async () => expect(await cellOf('False')).toHaveFocus())
  expect(ada).toHaveAttribute('tabindex', '-1')
  expect(sent.some(({ call }) => call.startsWith('PUT'))).toBe(false)
})

test('a conflict is shown at the cell, and an editor with typed input outlives clicks elsewhere', async () => {
  const conflict = { field: 'Name', expected: 'Ada', current: 'Eve', changedBy: 'ben@example.com', changedAt: null }
  serveApi({ ...portal, [edits]: refusal(409, 'value_changed', 'Changed.', [conflict]) })
  const { user } = renderApp(<ContactsPage />)
  await user.dblClick(await cellOf('Bob'))
  expect(await screen.findByLabelText('Name')).toHaveValue('Bob')
  await user.click(document.body)
  await waitFor(() => expect(screen.queryByLabelText('Name')).toBeNull())
  await user.dblClick(await cellOf('Ada'))
  await user.type(await screen.findByLabelText('Name'), 'x')
  await user.dblClick(await cellOf('Bob'))
  await user.click(document.body)
  expect(screen.getByLabelText('Name')).toHaveValue('Adax')
  await user.type(screen.getByLabelText('Name'), '{Enter}')
  const told = await screen.findByRole('alert')
  expect(told).toHaveTextContent('changed to “Eve” by ben@example.com. Yours is not saved.')
  await user.click(within(told).getByRole('button', { name: 'Keep theirs' }))
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
})

test.each([
  ['without the right', { policies: ['contact-offers-list'] }, '', 'Ada'],
  ['in generated columns', editor, '?filter=[{"$project":{"purl":1}}]', 'ada'],
  ['in computed rows', editor, '?filter=[{"$addFields":{"Name":{"$toUpper":"$Name"}}}]', 'Ada'],
])('%s nothing is editable', async (_where, who, search, shown) => {
  beSignedIn(who)
  serveApi({
    ...portal,
    [`GET ${offers}`]: ({ query }) =>
      answer('withCount' in query ? { rows, count: 2 } : 'count' in query ? { count: 2 } : rows),
  })
  const { user } = renderApp(<ContactsPage />, `/contact-service/documents${search}`)
  await user.dblClick(await screen.findByText(shown))
  expect(screen.queryByRole('button', { name: shown })).toBeNull()
  expect(screen.queryByRole('textbox', { name: 'Name' })).toBeNull()
})
