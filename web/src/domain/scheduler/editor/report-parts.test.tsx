import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { aChart, aDashboard, aDefinition, groupedByCity } from '#test/dashboards.ts'
import { pick } from '#test/pick.ts'
import { renderApp } from '#test/render.tsx'
import { aCron } from '#test/schedules.ts'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { CronEditor } from './cron-editor.tsx'

// The parts of the dialog that only reports have: their dashboard, the chosen contents, and tests before saving.

beforeEach(() =>
  beSignedIn({
    policies: [
      'scheduler-crons-list',
      'scheduler-crons-create',
      'scheduler-crons-update',
      'contact-offers-list',
      'contact-dashboards-list',
      'contact-rdls-list',
    ],
  }),
)

const picker = { type: 'DatePicker', title: 'When', defaultId: '6', maxRange: 31, portico: { dateField: 'Joined' } }
const layout = aDefinition(
  { id: 'when', cols: 12, chart: aChart(picker) },
  { id: 'cities', cols: 6, chart: aChart({ type: 'Bar', filter: groupedByCity }) },
  { id: 'people', cols: 6, chart: aChart({ type: 'PaginaTable', title: 'People', filter: { columns: ['Name'] } }) },
  { id: 'words', cols: 6, chart: aChart({ type: 'Text', title: 'Words' }) },
)
const membership = aDashboard({ definition: JSON.stringify(layout) })
const path = (id: string): string => `/api/contact-service/v1/dashboards/${id}`
const calls = {
  'GET /scheduler/v1/crons': answer([aCron()]),
  'GET /contact-service/v1/dashboards': answer([membership, aDashboard({ _id: 'd2', name: 'Donors' })]),
  'GET /contact-service/v1/dashboards/d1': answer(membership),
  'GET /contact-service/v1/fields': answer([{ name: 'Joined', type: 'date', isIndexed: false }]),
  'GET /contact-service/v1/rdls': answer([]),
}

const open = (props: Partial<Parameters<typeof CronEditor>[0]> = {}) =>
  renderApp(
    <CronEditor
      consumerCode="BI"
      kept={null}
      instruction={{ url: path('d1') }}
      onSaved={vi.fn<(name: string) => void>()}
      onClose={vi.fn<() => void>()}
      {...props}
    />,
  )
const choice = () => screen.findByRole('group', { name: 'Tables and charts' })
const box = async (name: string | RegExp) => within(await choice()).getByRole('checkbox', { name })
const all = 'All, also those that are added later'
const day = (daysAhead: number): string => new Date(Date.now() + daysAhead * 86_400_000).toISOString().slice(0, 10)
const whole = {
  name: 'A report',
  notificationEmails: 'mara@example.com',
  cronTZ: 'UTC',
  period: 'Daily' as const,
  hour: 9,
  start: day(1),
  cronEnd: day(9),
  offset: 'LM',
  download: {
    fileName: 'report',
    delimiter: 'comma' as const,
    multipleFiles: false,
    zipped: false,
    addQuotes: false,
    overwrite: false,
  },
}

test('a report names its dashboard and filters, and takes all or selected tables and charts', async () => {
  const sent = serveApi({ ...calls, 'POST /scheduler/v1/crons': answer(aCron(), 201) })
  const { user } = open({ initial: whole })
  expect(await screen.findByRole('combobox', { name: 'Dashboard' })).toHaveValue('Membership')
  expect(await screen.findByText('Last month, by Joined')).toBeVisible()
  expect(screen.getByText('All contacts')).toBeVisible()
  expect(await box(all)).toBeChecked()
  expect(within(await choice()).queryByRole('checkbox', { name: 'Words' })).toBeNull()
  const saved = async () => {
    await user.click(screen.getByRole('button', { name: 'Submit' }))
    return sent.findLast(({ call }) => call === 'POST /scheduler/v1/crons')?.body as { instruction: object }
  }
  await user.click(await box('Cities'))
  expect(await box(all)).not.toBeChecked()
  expect(await box('People')).toBeChecked()
  await user.click(await box('People'))
  expect(screen.getByText('Choose at least one.')).toBeVisible()
  expect(await saved()).toBeUndefined()
  await user.click(await box('People'))
  expect(screen.getByText(/^The rows of the chosen tables and charts/)).toBeVisible()
  await waitFor(async () => expect((await saved()).instruction).toMatchObject({ url: path('d1'), cells: ['people'] }))
  await user.click(await box(all))
  expect(await box('Cities')).toBeChecked()
  await waitFor(async () => expect((await saved()).instruction).not.toHaveProperty('cells'))
})

test('the files of a report can be workbooks, which have no option for quotes', async () => {
  const sent = serveApi({ ...calls, 'POST /scheduler/v1/crons': answer(aCron(), 201) })
  const { user } = open({ initial: whole })
  expect(await screen.findByRole('combobox', { name: 'Delimiter' })).toHaveAccessibleDescription(
    'Between the values of a row.',
  )
  await pick(user, 'Delimiter', 'Excel workbook (.xlsx)')
  const delimiter = screen.getByRole('combobox', { name: 'Delimiter' })
  expect(delimiter).toHaveAccessibleDescription('A workbook with a sheet for each.')
  expect(screen.queryByRole('switch', { name: 'Add quotes' })).toBeNull()
  await user.click(screen.getByRole('switch', { name: 'Multiple files' }))
  expect(delimiter).toHaveAccessibleDescription('A file for each, together in a .zip.')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() =>
    expect(sent.findLast(({ call }) => call === 'POST /scheduler/v1/crons')?.body).toMatchObject({
      instruction: { download: { delimiter: 'xlsx', multipleFiles: true } },
    }),
  )
})

test('changing the dashboard selects everything again; without an offset the date pickers set the dates', async () => {
  serveApi(calls)
  const { user } = open()
  expect(await screen.findByText('Last 7 days, by Joined')).toBeVisible()
  await user.click(await box('Cities'))
  serveApi({ ...calls, 'GET /contact-service/v1/dashboards/d2': answer({ ...membership, _id: 'd2', name: 'Donors' }) })
  await pick(user, 'Dashboard', 'Donors')
  expect(screen.getByRole('combobox', { name: 'Dashboard' })).toHaveValue('Donors')
  expect(await box(all)).toBeChecked()
})

test('an unreadable dashboard and a selected chart that no longer exists are reported', async () => {
  serveApi({ ...calls, 'GET /contact-service/v1/dashboards/d3': refusal(404, 'not_found') })
  const { unmount } = open({ kept: aCron({ instruction: { url: path('d3') } }) })
  expect(await screen.findByText('This dashboard was deleted, or is not shared with you.')).toBeVisible()
  unmount()
  const sent = serveApi({ ...calls, 'PUT /scheduler/v1/crons/c1': answer(aCron()) })
  const instruction = { url: path('d1'), offset: '30', download: { fileName: 'report' }, cells: ['cities', 'old'] }
  const { user } = open({ kept: aCron({ instruction }) })
  expect(await screen.findByRole('combobox', { name: 'Dashboard' })).toBeDisabled()
  const gone = await box(/^No longer on the dashboard/)
  expect(gone).toBeChecked()
  expect(gone).toHaveAccessibleDescription('Runs leave it out.')
  await user.click(gone)
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  const put = () => sent.find(({ call }) => call.startsWith('PUT'))?.body
  await waitFor(() => expect(put()).toMatchObject({ instruction: { cells: ['cities'] } }))
})

test('rows are counted for the unsaved form, and any change clears the result', async () => {
  const cells = [
    { id: 'cities', title: 'Cities', rows: 12, error: null },
    { id: 'people', title: 'People', rows: null, error: 'There is no field Name.' },
  ]
  const result = { isOk: false, message: '1 of 2 tables and charts failed.', cells }
  const sent = serveApi({ ...calls, 'POST /scheduler/v1/crons/tests/cells': answer(result) })
  const { user } = open({ initial: { cronTZ: 'UTC', offset: '7' } })
  await user.click(await screen.findByRole('button', { name: 'Count the rows' }))
  const rows = await screen.findByRole('table', { name: 'Rows of the tables and charts' })
  expect(within(rows).getByRole('row', { name: 'Cities 12' })).toBeVisible()
  expect(within(rows).getByRole('row', { name: 'People There is no field Name.' })).toBeVisible()
  expect(sent.find(({ call }) => call.endsWith('/tests/cells'))?.body).toMatchObject({
    consumerCode: 'BI',
    instruction: { url: path('d1'), offset: '7' },
  })
  await user.click(await box('Cities'))
  expect(screen.queryByRole('table', { name: 'Rows of the tables and charts' })).toBeNull()
})

test('a test marks missing fields; for an existing cron it uses the stored password', async () => {
  const sent = serveApi({
    ...calls,
    'POST /scheduler/v1/crons/c1/tests/transfer': answer({ isOk: true, message: 'Connected.' }),
  })
  const { user, unmount } = open()
  await pick(user, 'Protocol', 'sftp')
  await user.click(await screen.findByRole('button', { name: 'Test the connection' }))
  expect(await screen.findByText('Correct the marked fields first.')).toBeVisible()
  expect(screen.getByLabelText(/^Host/)).toHaveAccessibleDescription('Value is required!')
  expect(sent.filter(({ call }) => call.includes('/tests/'))).toEqual([])
  unmount()
  const { user: again } = open({ kept: aCron() })
  await again.click(await screen.findByRole('button', { name: 'Test the connection' }))
  expect(await screen.findByText('Connected.')).toBeVisible()
  expect(sent.find(({ call }) => call.endsWith('/c1/tests/transfer'))?.body).not.toHaveProperty('ftpPass')
})

test('without the right to change crons, tests are not available', async () => {
  beSignedIn({ policies: ['scheduler-crons-list', 'scheduler-crons-create'] })
  serveApi(calls)
  open({ kept: aCron() })
  expect(await choice()).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Test the connection' })).toBeNull()
})
