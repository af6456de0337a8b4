import type { FieldEntry } from '@portico/contract/fields'
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { FieldsPage } from './fields-page.tsx'

const field = (_id: string, name: string, part: Partial<FieldEntry> = {}): FieldEntry => ({
  _id,
  version: 1,
  name,
  type: 'string',
  chosenFormat: null,
  format: null,
  filled: null,
  distinct: null,
  import: null,
  createdAt: '2026-11-01T10:00:00.000Z',
  changedAt: null,
  typeChange: null,
  deleted: null,
  ...part,
})
const plain = { style: 'plain', decimals: null, currency: null } as const
const zip = field('1', 'Zip', { type: 'number', format: plain, filled: 0.996, distinct: 1200 })
const revenue = field('2', 'Revenue', { type: 'number', import: { _id: '3', name: 'Spring leads' }, filled: 0.001 })
const city = field('3', 'City')
const gone = { at: '2026-11-02T10:00:00.000Z', by: 'ada@example.com', until: '2026-12-02T10:00:00.000Z' }
const portal = { 'GET /contact-service/v1/fields/details': answer([zip, revenue, city]) }
const texts = (row: HTMLElement): (string | null)[] => [...row.children].map(({ textContent }) => textContent)

beforeEach(() =>
  beSignedIn({ policies: ['contact-fields-list', 'contact-fields-update', 'contact-fields-delete'], timeZone: 'UTC' }),
)

test('lists the fields with statistics of their values, and searches them by name or type', async () => {
  serveApi(portal)
  const { user } = renderApp(<FieldsPage />)
  expect(texts(await screen.findByRole('row', { name: /Zip/ }))).toEqual(
    expect.arrayContaining(['Zip', 'Number', 'plain', '99%', '1,200', '–']),
  )
  expect(texts(screen.getByRole('row', { name: /Revenue/ }))).toEqual(
    expect.arrayContaining(['with separators', '< 1%', '–', 'Spring leads']),
  )
  await user.type(screen.getByRole('textbox', { name: 'Search fields by name or type' }), 'text{Enter}')
  expect(screen.getAllByRole('rowheader').map(({ textContent }) => textContent)).toEqual(['City'])
  expect(screen.getByText('1 of 3 fields')).toBeVisible()
})

test('an opened row counts the values in the format of the field and lists what uses it', async () => {
  serveApi({
    ...portal,
    'GET /contact-service/v1/fields/1/details': answer({
      contacts: 1500,
      filled: 1494,
      distinct: 1201,
      examples: [{ value: '60614', contacts: 12 }],
      written: 3,
      uses: [
        { kind: 'filter', name: 'Chicago' },
        { kind: 'dashboard', name: null },
        { kind: 'dashboard', name: null },
      ],
    }),
  })
  const { user } = renderApp(<FieldsPage />)
  await user.click(await screen.findByRole('button', { name: 'Expand Zip' }))
  expect(await screen.findByText('1,494 of 1,500 contacts')).toBeVisible()
  expect(screen.getByText('60614 (12)')).toBeVisible()
  expect(screen.getByText('Chicago')).toBeVisible()
  expect(screen.getByText('Dashboards').nextSibling).toHaveTextContent('2')
})

test('a new name and a format are saved for the version that was read', async () => {
  const sent = serveApi({
    ...portal,
    'PUT /contact-service/v1/fields/2': answer({ ...revenue, name: 'Turnover', version: 2 }),
  })
  const { user } = renderApp(<FieldsPage />)
  await user.click(await screen.findByRole('button', { name: 'Edit Revenue' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit Revenue' }))
  const name = await dialog.findByRole('textbox', { name: 'Name' })
  await user.clear(name)
  expect(name).toHaveAccessibleDescription(/Value is required!/)
  await user.type(name, 'Turnover')
  await user.click(dialog.getByRole('combobox', { name: 'Format' }))
  await user.click(screen.getByRole('option', { name: /^Currency/ }))
  await user.clear(dialog.getByRole('textbox', { name: 'Currency' }))
  await user.type(dialog.getByRole('textbox', { name: 'Currency' }), 'eur')
  expect(dialog.getByText('1234.5 is shown as €1,234.50')).toBeVisible()
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText("'Revenue' is now 'Turnover'.")).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('PUT'))?.body).toEqual({
    name: 'Turnover',
    format: { style: 'currency', decimals: null, currency: 'EUR' },
    version: 1,
  })
})

test('a refusal is shown at the name, or above the buttons', async () => {
  const refusals = [
    refusal(409, 'name_taken', 'Value is duplicate!', [{ field: 'name', message: 'Value is duplicate!' }]),
    refusal(409, 'field_busy', 'An import or export is running or waiting. Change the field when it has ended.'),
  ]
  serveApi({ ...portal, 'PUT /contact-service/v1/fields/3': () => refusals.shift() ?? answer(city) })
  const { user } = renderApp(<FieldsPage />)
  await user.click(await screen.findByRole('button', { name: 'Edit City' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit City' }))
  const name = await dialog.findByRole('textbox', { name: 'Name' })
  await user.clear(name)
  await user.type(name, 'Zip')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  expect(await dialog.findByText('Value is duplicate!')).toBeVisible()
  expect(dialog.queryByRole('combobox', { name: 'Format' })).toBeNull()
  await user.type(name, 's')
  await user.click(dialog.getByRole('button', { name: 'Save' }))
  expect(await dialog.findByRole('alert')).toHaveTextContent('An import or export is running or waiting.')
})

test('without the right to change fields there are no actions', async () => {
  beSignedIn({ policies: ['contact-fields-list'], timeZone: 'UTC' })
  serveApi(portal)
  renderApp(<FieldsPage />)
  await screen.findByRole('row', { name: /Zip/ })
  expect(screen.queryByRole('button', { name: /^Edit/ })).toBeNull()
  expect(screen.queryByRole('columnheader', { name: 'Actions' })).toBeNull()
})

test('deleting requires the name, and lists what uses the field', async () => {
  const uses = [
    { kind: 'filter', name: 'Chicago' },
    { kind: 'dashboard', name: 'Overview' },
  ]
  const sent = serveApi({
    ...portal,
    'GET /contact-service/v1/fields/3/details': answer({ contacts: 1, filled: 1, distinct: 1, examples: [], uses }),
    'DELETE /contact-service/v1/fields/3': answer({ ...city, deleted: gone }),
  })
  const { user } = renderApp(<FieldsPage />)
  await user.click(await screen.findByRole('button', { name: 'Delete City' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Delete City' }))
  expect(
    await dialog.findByText('These will say that it is missing: Saved filter: Chicago; Dashboard: Overview.'),
  ).toBeVisible()
  expect(dialog.getByRole('button', { name: 'Delete' })).toBeDisabled()
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'city')
  await user.click(dialog.getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText("'City' was deleted.")).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('DELETE'))?.query).toMatchObject({ uses: '2' })
  // The deleted field has no values.
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(sent.filter(({ call }) => call === 'GET /contact-service/v1/fields/3/details')).toHaveLength(1)
})

test('a deleted field is marked, cannot be edited, and can be restored', async () => {
  serveApi({
    'GET /contact-service/v1/fields/details': answer([zip, { ...city, deleted: gone }]),
    'POST /contact-service/v1/fields/3/restore': answer(city),
  })
  const { user } = renderApp(<FieldsPage />)
  expect(await screen.findByText('deleted')).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Edit City' })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Restore City' }))
  expect(await screen.findByText("'City' was restored.")).toBeVisible()
})
