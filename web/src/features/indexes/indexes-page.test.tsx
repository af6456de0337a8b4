import { act, screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { formatDay } from '#lib/formats.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { IndexesPage } from './indexes-page.tsx'

const index = (part: Record<string, unknown>) => ({
  sortOrder1: 1,
  fieldName2: null,
  sortOrder2: null,
  unique: false,
  isInternal: false,
  isKept: false,
  lastSearchedOn: null,
  state: 'ready',
  reason: null,
  progress: null,
  sizeBytes: 204_800,
  uses: 1234,
  createdAt: null,
  creator: null,
  ...part,
})
const purl = index({ name: 'purl', fieldName1: 'purl', unique: true, isInternal: true })
const city = index({ name: 'cIndex_City_-1', fieldName1: 'City', sortOrder1: -1 })
const failed = index({
  name: 'cIndex_Email_1',
  fieldName1: 'Email',
  state: 'failed',
  reason: '3 values are there more than once.',
})
const fields = ['City', 'Email', 'Score'].map((name) => ({ name, type: 'string', isIndexed: false }))

const portal = {
  'GET /contact-service/v1/indexes/details': answer([purl, city, failed]),
  'GET /contact-service/v1/fields': answer(fields),
  'GET /contact-service/v1/indexes/estimate': answer({ rows: 3500, sizeBytes: 47_900, buildSeconds: 2 }),
}

const all = ['contact-offers-list', 'contact-indexes-list', 'contact-indexes-create', 'contact-indexes-delete']
beforeEach(() => beSignedIn({ policies: all }))

test('lists indexes without their prefix, marks internal ones as not deletable, and shows why one failed', async () => {
  serveApi(portal)
  renderApp(<IndexesPage />)
  const row = within(await screen.findByRole('row', { name: /^City_-1/ }))
  expect(row.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual([
    'City',
    '-1',
    '',
    '',
    'False',
    'ready',
    '204.8 kB',
    '1,234',
    '',
  ])
  const internal = within(screen.getByRole('row', { name: /purl/ }))
  expect(internal.getByText('internal')).toBeVisible()
  expect(internal.queryByRole('button')).toBeNull()
  expect(screen.getByText('3 values are there more than once.')).toBeVisible()
})

test('an index that the portal keeps shows its last use, is in no order, and cannot be deleted', async () => {
  const kept = index({
    name: 'contains City',
    fieldName1: 'City',
    isInternal: true,
    isKept: true,
    lastSearchedOn: '2026-11-02',
    uses: 7,
  })
  serveApi({ ...portal, 'GET /contact-service/v1/indexes/details': answer([purl, kept]) })
  const { user } = renderApp(<IndexesPage />)
  const row = within(await screen.findByRole('row', { name: /^contains City/ }))
  expect(row.getByText('Kept by the portal')).toBeVisible()
  expect(row.getAllByRole('cell').map(({ textContent }) => textContent)).toEqual([
    'City',
    '',
    '',
    '',
    'False',
    'ready',
    '204.8 kB',
    `7last on ${formatDay('2026-11-02')}`,
    '',
  ])
  expect(row.queryByRole('button')).toBeNull()
  // People may still make their own.
  await user.click(screen.getByRole('button', { name: 'NEW INDEX' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Create a New Index' }))
  await user.click(dialog.getByRole('combobox', { name: 'Field Name 1' }))
  expect(screen.getByRole('option', { name: 'City' })).toBeVisible()
})

test('REFRESH is locked for a minute after a load', async () => {
  serveApi(portal)
  renderApp(<IndexesPage />)
  await screen.findByText('City_-1')
  expect(screen.getByRole('button', { name: /^in (60|59) sec$/ })).toBeDisabled()
})

test('NEW INDEX and deleting need their rights', async () => {
  beSignedIn({ policies: ['contact-indexes-list'] })
  const sent = serveApi(portal)
  renderApp(<IndexesPage />)
  await screen.findByText('City_-1')
  expect(screen.queryByRole('button', { name: 'NEW INDEX' })).toBeNull()
  expect(screen.queryByRole('columnheader', { name: 'Actions' })).toBeNull()
  expect(screen.queryByRole('button', { name: /^Delete/ })).toBeNull()
  expect(sent.some(({ call }) => call.endsWith('/fields'))).toBe(false)
})

test('NEW INDEX names the feature that is missing without the right to see fields', async () => {
  beSignedIn({ policies: ['contact-indexes-list', 'contact-indexes-create'] })
  const sent = serveApi(portal)
  const { user } = renderApp(<IndexesPage />)
  await user.click(await screen.findByRole('button', { name: 'NEW INDEX' }))
  expect(await screen.findByText(/needs the feature contact-offers-list/)).toBeVisible()
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(sent.some(({ call }) => call.endsWith('/fields'))).toBe(false)
})

test('the indexes of the account come first, newest first, then those of the portal', async () => {
  const dated = (name: string, createdAt: string) => index({ name: `cIndex_${name}`, fieldName1: name, createdAt })
  const [old, fresh] = [dated('City', '2026-11-01T10:00:00.000Z'), dated('Email', '2026-11-02T10:00:00.000Z')]
  serveApi({ ...portal, 'GET /contact-service/v1/indexes/details': answer([purl, old, fresh]) })
  const { user } = renderApp(<IndexesPage />)
  await screen.findByRole('row', { name: /^Email/ })
  const names = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent)
  expect(names()).toEqual(['Email', 'City', 'purlinternal'])
  await user.click(screen.getByRole('button', { name: 'Field Name 1' }))
  expect(names()).toEqual(['City', 'Email', 'purlinternal'])
})

test('the dialog says why an identity that sees only some contacts gets no estimate', async () => {
  const reason = 'Your identity sees only some contacts. An estimate counts all contacts.'
  const path = 'GET /contact-service/v1/indexes/estimate'
  serveApi({ ...portal, [path]: refusal(403, 'not_allowed', reason) })
  const { user } = renderApp(<IndexesPage />)
  await user.click(await screen.findByRole('button', { name: 'NEW INDEX' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Create a New Index' }))
  await user.click(dialog.getByRole('combobox', { name: 'Field Name 1' }))
  await user.click(await screen.findByRole('option', { name: 'Score' }))
  expect(await dialog.findByText(reason)).toBeVisible()
  expect(dialog.getByRole('button', { name: 'Create' })).toBeEnabled()
})

test('the name follows the fields until it is edited; refusals are shown at their fields', async () => {
  const sent = serveApi({
    ...portal,
    'POST /contact-service/v1/indexes': refusal(400, 'invalid_input', 'Some fields are not valid.', [
      { field: 'fieldName1', message: 'Value is duplicate! "Score" has an index already.' },
    ]),
  })
  const { user } = renderApp(<IndexesPage />)
  await screen.findByText('City_-1')
  await user.click(screen.getByRole('button', { name: 'NEW INDEX' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Create a New Index' }))
  await user.click(dialog.getByRole('button', { name: 'Create' }))
  // The list of the focused field must not cover the message.
  const field = dialog.getByRole('combobox', { name: 'Field Name 1' })
  act(() => field.focus())
  expect(field).toHaveAccessibleDescription('Value is required!')
  expect(field).toHaveAttribute('aria-expanded', 'false')
  await user.click(dialog.getByRole('combobox', { name: 'Field Name 1' }))
  expect(screen.queryByRole('option', { name: 'City' })).toBeNull()
  await user.click(screen.getByRole('option', { name: 'Score' }))
  const name = dialog.getByRole('textbox', { name: 'Index Name' })
  expect(name).toHaveValue('Score_-1')
  await user.click(dialog.getByRole('combobox', { name: 'Field Name 2' }))
  await user.click(screen.getByRole('option', { name: 'City' }))
  expect(name).toHaveValue('Score_-1_City_-1')
  expect(await dialog.findByText('Takes about 2 sec to build and 47.9 kB for 3,500 contacts.')).toBeVisible()
  await user.clear(name)
  await user.type(name, 'best')
  await user.click(dialog.getByRole('combobox', { name: 'Sort Order 1' }))
  await user.click(screen.getByRole('option', { name: 'Ascending (1)' }))
  expect(name).toHaveValue('best')
  await user.click(dialog.getByRole('button', { name: 'Create' }))
  expect(await dialog.findByText('Value is duplicate! "Score" has an index already.')).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toEqual({
    key: [
      ['Score', 1],
      ['City', -1],
    ],
    options: { name: 'best', unique: false, background: true },
  })
})

test('deleting asks for confirmation and reports that it has started', async () => {
  const sent = serveApi({
    ...portal,
    'DELETE /contact-service/v1/indexes/cIndex_City_-1': answer({ name: 'cIndex_City_-1' }, 202),
  })
  const { user } = renderApp(<IndexesPage />)
  await user.click(await screen.findByRole('button', { name: 'Delete City_-1' }))
  expect(await screen.findByText("Are you sure to delete 'City_-1' index?")).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'No' }))
  expect(sent.some(({ call }) => call.startsWith('DELETE'))).toBe(false)
  await user.click(screen.getByRole('button', { name: 'Delete City_-1' }))
  await user.click(await screen.findByRole('button', { name: 'Delete' }))
  expect(await screen.findByText("'City_-1' index is being deleted...")).toBeVisible()
})
