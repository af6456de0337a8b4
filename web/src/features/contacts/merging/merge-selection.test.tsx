import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { ContactsPage } from '../contacts-page.tsx'

const offers = '/contact-service/v1/offers'
const people = [
  { _id: '7', First: 'Ada', Email: 'ada@x' },
  { _id: '8', First: 'Ada K.', Email: 'ada@x' },
  { _id: '9', First: 'Bob', Email: 'bob@x' },
]
const portal = {
  'GET /contact-service/v1/fields': answer(
    ['First', 'Email'].map((name) => ({ name, type: 'string', isIndexed: false })),
  ),
  [`GET ${offers}`]: answer({ rows: people, count: 3 }),
  [`GET ${offers}/7`]: answer(people[0]),
  [`GET ${offers}/8`]: answer(people[1]),
  [`POST ${offers}/8/merge`]: answer({ change: {}, movedEvents: 2, delete: '5' }),
}
const rights = ['contact-offers-list', 'contact-offers-update', 'contact-offers-delete']

beforeEach(() => {
  vi.useRealTimers()
})

const select = (name: string) => screen.findByRole('checkbox', { name: new RegExp(`^Select ${name} \\w+@x$`) })

test('two contacts of the table are merged, either of them stays, and the merge is undone from its snackbar', async () => {
  beSignedIn({ policies: rights })
  const record = { _id: '5', restore: { status: 'completed', missingRecords: 0 } }
  const sent = serveApi({
    ...portal,
    'POST /contact-service/v1/deletes/5/restore': answer(record, 202),
    'GET /contact-service/v1/deletes': answer([record]),
  })
  const { user } = renderApp(<ContactsPage />)
  await user.click(await select('Ada'))
  const bar = within(screen.getByRole('region', { name: 'Selected rows' }))
  expect(bar.getByRole('button', { name: 'Merge' })).toHaveAttribute('aria-disabled', 'true')
  await user.click(await select('Bob'))
  await user.click(await select('Bob'))
  await user.click(await select('Ada K.'))
  await user.click(bar.getByRole('button', { name: 'Merge' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Merge Contacts' }))
  expect(await dialog.findByRole('radio', { name: /^This contact:\s*Ada$/ })).toBeChecked()
  await user.click(dialog.getByRole('button', { name: 'Swap' }))
  expect(await dialog.findByRole('radio', { name: /^This contact:\s*Ada K\.$/ })).toBeChecked()
  await user.click(dialog.getByRole('button', { name: 'Merge' }))
  const merged = 'The contacts were merged, with 2 events. This can be undone for 30 days, under Deletes.'
  expect(await screen.findByText(merged)).toBeVisible()
  expect(sent.find(({ call }) => call === `POST ${offers}/8/merge`)?.body).toMatchObject({ other: '7' })
  expect(screen.queryByRole('region', { name: 'Selected rows' })).toBeNull()

  await user.click(screen.getByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('The merge is being undone.')).toBeVisible()
  expect(await screen.findByText('The merge was undone.', undefined, { timeout: 5000 })).toBeVisible()
  expect(sent.some(({ call }) => call === 'POST /contact-service/v1/deletes/5/restore')).toBe(true)
})

test('an undo that is refused says why', async () => {
  beSignedIn({ policies: rights })
  serveApi({
    ...portal,
    [`POST ${offers}/7/merge`]: answer({ change: {}, movedEvents: 0, delete: '5' }),
    'POST /contact-service/v1/deletes/5/restore': refusal(409, 'import_running', 'An import is running.'),
  })
  const { user } = renderApp(<ContactsPage />)
  await user.click(await select('Ada'))
  await user.click(await select('Ada K.'))
  await user.click(screen.getByRole('button', { name: 'Merge' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Merge Contacts' }))
  await user.click(await dialog.findByRole('button', { name: 'Merge' }))
  await user.click(await screen.findByRole('button', { name: 'Undo' }))
  expect(await screen.findByText('An import is running.')).toBeVisible()
})

test.each([['contact-offers-update'], ['contact-offers-delete']])(
  'contacts cannot be selected without %s',
  async (right) => {
    beSignedIn({ policies: rights.filter((each) => each !== right) })
    serveApi(portal)
    renderApp(<ContactsPage />)
    await screen.findByRole('rowheader', { name: 'Bob' })
    expect(screen.queryByRole('checkbox')).toBeNull()
  },
)
