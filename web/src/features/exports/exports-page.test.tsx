import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { anExport } from '#test/exports.ts'
import { renderApp } from '#test/render.tsx'
import { answer, beSignedIn, refusal, type Sent, serveApi } from '#test/server.ts'
import { ExportsPage } from './exports-page.tsx'

const exports = 'GET /contact-service/v1/exports'
const fields = ['First', 'Last', 'Email', 'City', 'State', 'Zip', 'Country', 'Score'].map((name) => ({
  name,
  type: name === 'Score' ? 'number' : 'string',
  isIndexed: false,
}))
const list =
  (items: unknown[], count = items.length) =>
  (sent: Sent) =>
    answer('count' in sent.query ? { count } : items)
const portal = (items: unknown[] = [anExport()], count = items.length): Parameters<typeof serveApi>[0] => ({
  [exports]: list(items, count),
  'GET /contact-service/v1/fields': answer(fields),
  'GET /contact-service/v1/fields/events': answer([{ name: 'price' }]),
  'GET /contact-service/v1/offers': answer({ count: 48_213 }),
})

beforeEach(() =>
  beSignedIn({
    policies: ['contact-export-list', 'contact-export-create', 'contact-offers-list', 'contact-rdls-list'],
  }),
)

test('sorts and searches on the server, and keeps both in the address', async () => {
  const sent = serveApi(portal([anExport()], 30))
  const { user, address } = renderApp(<ExportsPage />, '/contact-service/exports?page=2')
  await user.click(await screen.findByRole('button', { name: 'Processed Records' }))
  await user.type(screen.getByRole('textbox', { name: 'Search exports by name' }), 'lapsed{Enter}')
  expect(address()).toBe('/contact-service/exports?sort=processedRecords&name=lapsed')
  await screen.findByText('30 exports found')
  expect(sent.map(({ query }) => query)).toContainEqual({
    find: '[{"$match":{"name":{"$regex":"lapsed","$options":"i"}}}]',
    sort: '{"processedRecords":1}',
    limit: '5',
    skip: '0',
  })
  expect(screen.queryByRole('button', { name: 'Creation Date' })).toBeNull()
})

test('one row at a time opens its details', async () => {
  const filter = '[{"$match":{"State":"WA"}}]'
  serveApi(portal([anExport({ aggregateQuery: filter }), anExport({ _id: '2', name: 'Other' })]))
  const { user } = renderApp(<ExportsPage />)
  await user.click(await screen.findByRole('button', { name: 'Expand Lapsed donors' }))
  expect(await screen.findByText('Contacts whose State is “WA”.')).toBeVisible()
  expect(screen.getByText('Fields (2)').parentElement).toHaveTextContent('FirstEmail')
  await user.click(screen.getByRole('button', { name: 'Expand Other' }))
  expect(screen.queryByText('Contacts whose State is “WA”.')).toBeNull()
})

test('a completed export has a file, with the extension of its delimiter', async () => {
  const assign = vi.fn<(url: string) => void>()
  vi.stubGlobal('location', { assign, origin: window.location.origin })
  const sent = serveApi({
    ...portal([anExport({ delimiter: 'tab' }), anExport({ _id: '2', name: 'Running', status: 'rejected' })]),
    'GET /contact-service/v1/downloads/1.txt': answer({ url: '/api/files/1/exports/x' }),
  })
  const { user } = renderApp(<ExportsPage />)
  expect(await screen.findByRole('button', { name: 'Download Running' })).toBeDisabled()
  await user.click(screen.getByRole('button', { name: 'Download Lapsed donors' }))
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/api/files/1/exports/x'))
  expect(sent.filter(({ call }) => call.includes('downloads'))).toHaveLength(1)
  vi.unstubAllGlobals()
})

test('a file with semicolons has the extension .csv', async () => {
  const assign = vi.fn<(url: string) => void>()
  vi.stubGlobal('location', { assign, origin: window.location.origin })
  serveApi({
    ...portal([anExport({ delimiter: 'semicolon' })]),
    'GET /contact-service/v1/downloads/1.csv': answer({ url: '/api/files/1/exports/x' }),
  })
  const { user } = renderApp(<ExportsPage />)
  await user.click(await screen.findByRole('button', { name: 'Download Lapsed donors' }))
  await waitFor(() => expect(assign).toHaveBeenCalledWith('/api/files/1/exports/x'))
  vi.unstubAllGlobals()
})

test('the byte order mark depends on the delimiter, can be turned off, and does not apply to workbooks', async () => {
  const sent = serveApi({ ...portal(), 'POST /contact-service/v1/exports': answer(anExport(), 201) })
  const { user } = renderApp(<ExportsPage />)
  const open = await screen.findByRole('button', { name: 'NEW EXPORT' })
  await waitFor(() => expect(open).not.toHaveAttribute('aria-disabled'))
  await user.click(open)
  await user.type(await screen.findByRole('textbox', { name: 'Export Name' }), 'Top scores')
  const mark = screen.getByRole('switch', { name: 'BOM for Excel' })
  expect(mark).toBeChecked()
  await user.click(screen.getByRole('combobox', { name: 'File Delimiter' }))
  await user.click(await screen.findByRole('option', { name: 'Pipe (.txt)' }))
  expect(mark).not.toBeChecked()
  await user.click(screen.getByRole('combobox', { name: 'File Delimiter' }))
  await user.click(await screen.findByRole('option', { name: 'Excel workbook (.xlsx)' }))
  expect(screen.queryByRole('switch', { name: 'BOM for Excel' })).not.toBeInTheDocument()
  await user.click(screen.getByRole('combobox', { name: 'File Delimiter' }))
  await user.click(await screen.findByRole('option', { name: 'Semicolon (.csv)' }))
  const again = screen.getByRole('switch', { name: 'BOM for Excel' })
  expect(again).toBeChecked()
  await user.click(again)
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(sent.some(({ call }) => call.startsWith('POST'))).toBe(true))
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toMatchObject({
    delimiter: 'semicolon',
    byteOrderMark: false,
  })
})

test('cancelling asks first and confirms the result', async () => {
  const sent = serveApi({
    ...portal([anExport({ status: 'processing' })]),
    'PUT /contact-service/v1/exports/1': answer(anExport({ status: 'rejected' })),
  })
  const { user } = renderApp(<ExportsPage />)
  await user.click(await screen.findByRole('button', { name: 'Cancel Lapsed donors' }))
  const dialog = await screen.findByRole('dialog')
  expect(dialog).toHaveTextContent("Are you sure you want to cancel 'Lapsed donors'?")
  await user.click(within(dialog).getByRole('button', { name: 'Yes, cancel it' }))
  expect(await screen.findByText("'Lapsed donors' export was cancelled.")).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('PUT'))?.body).toEqual({ cancel: true })
})

test('NEW EXPORT is disabled with the reason while there are no fields', async () => {
  serveApi({ ...portal([]), 'GET /contact-service/v1/fields': answer([]) })
  const { user } = renderApp(<ExportsPage />)
  const button = await screen.findByRole('button', { name: 'NEW EXPORT' })
  await waitFor(() => expect(button).toHaveAttribute('aria-disabled', 'true'))
  await user.hover(button)
  expect(await screen.findByText(/There is nothing to export yet/)).toBeInTheDocument()
  await user.click(button)
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('without the right to see contacts the missing feature is named, and no contacts are requested', async () => {
  beSignedIn({ policies: ['contact-export-list', 'contact-export-create'] })
  const sent = serveApi(
    portal([
      anExport({ aggregateQuery: '[{"$match":{"State":"WA"}}]' }),
      anExport({ _id: '2', name: 'Other', aggregateQuery: '[{"$predefined":"17"}]' }),
      anExport({ _id: '3', name: 'Third' }),
    ]),
  )
  const { user } = renderApp(<ExportsPage />)
  const button = await screen.findByRole('button', { name: 'NEW EXPORT' })
  expect(button).toHaveAttribute('aria-disabled', 'true')
  await user.hover(button)
  expect(await screen.findByText(/Seeing these needs the feature contact-offers-list/)).toBeInTheDocument()
  await user.click(await screen.findByRole('button', { name: 'Expand Lapsed donors' }))
  expect(screen.getByText(/^Contacts that match a filter\. .* needs the feature contact-offers-list\.$/)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Show as JSON' }))
  expect(screen.getByText(/"State": "WA"/)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Expand Other' }))
  expect(screen.getByText('Contacts of a saved filter.')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Expand Third' }))
  expect(screen.getByText('All contacts')).toBeVisible()
  expect(sent.filter(({ call }) => /fields|offers|rdls/.test(call))).toEqual([])
})

test('a new export shows the fields and the number of contacts, and ends with a snackbar', async () => {
  const sent = serveApi({
    ...portal(),
    'POST /contact-service/v1/exports': answer(anExport({ name: 'Top scores' }), 201),
  })
  const { user } = renderApp(<ExportsPage />)
  const open = await screen.findByRole('button', { name: 'NEW EXPORT' })
  await waitFor(() => expect(open).not.toHaveAttribute('aria-disabled'))
  await user.click(open)
  expect(await screen.findByText('7/24')).toBeVisible()
  await user.type(screen.getByRole('textbox', { name: 'Export Name' }), 'Top scores')
  await user.click(screen.getByRole('combobox', { name: /Fields to export/ }))
  await user.click(await screen.findByRole('option', { name: 'Zip', hidden: true }))
  await user.click(screen.getByRole('switch', { name: 'Zip' }))
  expect(await screen.findByText('48,213 records')).toBeVisible()
  expect(screen.getByRole('region', { name: 'Filter' })).toHaveTextContent('All contacts.')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByText("'Top scores' was submitted.")).toBeVisible()
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toEqual({
    name: 'Top scores',
    delimiter: 'csv',
    shouldZip: true,
    exportFields: ['First', 'Last', 'Email', 'City', 'State', 'Country'],
  })
})

test('a filter with groups replaces the fields with the columns of its groups, counts them and sends them', async () => {
  const grouped = [{ $group: { _id: { City: '$City' }, n: { $sum: 1 } } }, { $sort: { n: -1 } }]
  const saved = { _id: 'f1', name: 'Cities by size', aggregateQuery: JSON.stringify(grouped) }
  const sent = serveApi({
    ...portal(),
    'GET /contact-service/v1/rdls': answer([{ _id: 'f1', name: saved.name, showInSubaccounts: false, isOwn: true }]),
    'GET /contact-service/v1/rdls/f1': answer({ ...saved, showInSubaccounts: false, isOwn: true }),
    'GET /contact-service/v1/offers': ({ query }) => answer({ count: 'aggregate' in query ? 12 : 48_213 }),
    'POST /contact-service/v1/exports': answer(anExport({ name: 'Top cities' }), 201),
  })
  const { user } = renderApp(<ExportsPage />)
  const open = await screen.findByRole('button', { name: 'NEW EXPORT' })
  await waitFor(() => expect(open).not.toHaveAttribute('aria-disabled'))
  await user.click(open)
  await user.type(await screen.findByRole('textbox', { name: 'Export Name' }), 'Top cities')
  // Hidden fields must not block the form.
  await user.click(screen.getByRole('button', { name: 'Clear' }))
  await user.click(screen.getByRole('button', { name: 'Edit filter' }))
  const builder = await screen.findByRole('dialog', { name: 'Filter' })
  expect(within(builder).getByRole('tab', { name: 'Groupby' })).toBeVisible()
  await user.click(within(builder).getByRole('tab', { name: 'Predefined' }))
  await user.click(await within(builder).findByRole('combobox', { name: 'Predefined filter' }))
  await user.click(await screen.findByRole('option', { name: 'Cities by size', hidden: true }))
  await user.click(within(builder).getByRole('button', { name: 'Apply' }))
  expect(await screen.findByText('12 groups')).toBeVisible()
  expect(screen.getByRole('region', { name: 'File columns' })).toHaveTextContent(/City.*n$/)
  expect(screen.queryByRole('combobox', { name: /Fields to export/ })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await screen.findByText("'Top cities' was submitted.")
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toEqual({
    name: 'Top cities',
    delimiter: 'csv',
    exportFields: ['City', 'n'],
    aggregateQuery: '[{"$predefined":"f1"}]',
  })
})

test('a saved filter deleted meanwhile is reported in place of the count', async () => {
  serveApi({
    ...portal(),
    'GET /contact-service/v1/rdls': answer([{ _id: 'f1', name: 'Gone', showInSubaccounts: false, isOwn: true }]),
    'GET /contact-service/v1/rdls/f1': refusal(404, 'not_found', 'The saved filter could not be found.'),
  })
  const { user } = renderApp(<ExportsPage />)
  const open = await screen.findByRole('button', { name: 'NEW EXPORT' })
  await waitFor(() => expect(open).not.toHaveAttribute('aria-disabled'))
  await user.click(open)
  await user.click(await screen.findByRole('button', { name: 'Edit filter' }))
  const builder = await screen.findByRole('dialog', { name: 'Filter' })
  await user.click(within(builder).getByRole('tab', { name: 'Predefined' }))
  await user.click(await within(builder).findByRole('combobox', { name: 'Predefined filter' }))
  await user.click(await screen.findByRole('option', { name: 'Gone', hidden: true }))
  await user.click(within(builder).getByRole('button', { name: 'Apply' }))
  const filter = await screen.findByRole('region', { name: 'Filter' })
  await waitFor(() => expect(filter).toHaveTextContent('The saved filter could not be found.'))
})

test('a taken name is reported at its field, any other refusal in the dialog', async () => {
  let reply = refusal(409, 'name_taken', 'Value is duplicate!')
  serveApi({ ...portal(), 'POST /contact-service/v1/exports': () => reply })
  const { user } = renderApp(<ExportsPage />)
  const open = await screen.findByRole('button', { name: 'NEW EXPORT' })
  await waitFor(() => expect(open).not.toHaveAttribute('aria-disabled'))
  await user.click(open)
  const name = await screen.findByRole('textbox', { name: 'Export Name' })
  await user.type(name, 'Lapsed donors')
  expect(screen.getByText('Value is duplicate!')).toBeVisible()
  await user.type(name, ' 2')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByText('Value is duplicate!')).toBeVisible()
  reply = refusal(400, 'invalid_filter', 'Unknown Operator: "$where"')
  await user.type(name, '3')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByText('Unknown Operator: "$where"')).toBeVisible()
  expect(name).toHaveValue('Lapsed donors 23')
})

test('without its rights, the buttons of the scheduler name whom to ask', async () => {
  serveApi(portal())
  const { user } = renderApp(<ExportsPage />)
  const button = await screen.findByRole('button', { name: 'Manage Schedules' })
  expect(button).toHaveAttribute('aria-disabled', 'true')
  await user.click(button)
  expect(await screen.findByText('Contact your admin to see how you can get this feature.')).toBeInTheDocument()
})

test('a notification is entered, tried out and sent with the export', async () => {
  const sent = serveApi({
    ...portal(),
    'POST /contact-service/v1/notifications/test': answer({ isOk: false, message: 'Nobody answers at port 22.' }),
    'POST /contact-service/v1/exports': answer(anExport({ name: 'Top scores' }), 201),
  })
  const { user } = renderApp(<ExportsPage />)
  const open = await screen.findByRole('button', { name: 'NEW EXPORT' })
  await waitFor(() => expect(open).not.toHaveAttribute('aria-disabled'))
  await user.click(open)
  await user.type(await screen.findByRole('textbox', { name: 'Export Name' }), 'Top scores')
  await user.click(screen.getByRole('button', { name: 'Set notifications' }))
  const dialog = await screen.findByRole('dialog', { name: 'Notifications' })
  await user.click(within(dialog).getByRole('tab', { name: 'SFTP' }))
  await user.type(within(dialog).getByRole('textbox', { name: 'Host' }), 'files.example.com')
  expect(within(dialog).getByRole('button', { name: 'Save' })).toBeDisabled()
  await user.type(within(dialog).getByRole('textbox', { name: 'User' }), 'drop')
  await user.type(within(dialog).getByLabelText(/^Password/), 'secret')
  await user.click(within(dialog).getByRole('button', { name: 'Test' }))
  expect(await within(dialog).findByText('Nobody answers at port 22.')).toBeVisible()
  await user.click(within(dialog).getByRole('tab', { name: 'HTTP' }))
  expect(within(dialog).getByText(/At most 1 notification can be set/)).toBeVisible()
  await user.click(within(dialog).getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('SFTP drop@files.example.com:22')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await screen.findByText("'Top scores' was submitted.")
  const notification = { type: 'sftp', host: 'files.example.com', user: 'drop', password: 'secret' }
  expect(sent.find(({ call }) => call.endsWith('/exports') && call.startsWith('POST'))?.body).toMatchObject({
    notifications: [notification],
  })
  expect(sent.find(({ call }) => call.endsWith('/test'))?.body).toMatchObject({ notification })
})
