import { winterOffset } from '@portico/domain/scheduler/zone-offsets'
import { defaultEmail } from '@portico/contract/scheduler/instructions'
import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { pick } from '#test/pick.ts'
import { renderApp } from '#test/render.tsx'
import { aCron } from '#test/schedules.ts'
import { CronEditor } from './cron-editor.tsx'

const url = '/api/contact-service/v1/dashboards/d1'

beforeEach(() => beSignedIn({ policies: ['scheduler-crons-list', 'scheduler-crons-create', 'scheduler-crons-update'] }))

const open = (props: Partial<Parameters<typeof CronEditor>[0]> = {}) => {
  const onSaved = vi.fn<(name: string) => void>()
  const rendered = renderApp(
    <CronEditor
      consumerCode="BI"
      kept={null}
      instruction={{ url }}
      onSaved={onSaved}
      onClose={vi.fn<() => void>()}
      {...props}
    />,
  )
  return { ...rendered, onSaved }
}

const crons = { 'GET /scheduler/v1/crons': answer([aCron()]) }

test('an empty dialog marks the required fields', async () => {
  serveApi(crons)
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Submit' }))
  expect((await screen.findAllByText('Value is required!')).length).toBeGreaterThan(5)
})

test('a taken name and each invalid address are named', async () => {
  const sent = serveApi(crons)
  const { user } = open()
  await waitFor(() => expect(sent.map((each) => each.call)).toContain('GET /scheduler/v1/crons'))
  await user.type(await screen.findByRole('textbox', { name: /^Name/ }), 'weekly REPORT')
  await user.type(screen.getByRole('textbox', { name: /^Emails/ }), 'one, mara@example.com, two')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByText('Name already exists!')).toBeVisible()
  expect(screen.getByText('one is invalid!, two is invalid!')).toBeVisible()
})

test('the footer has Cancel and Submit', async () => {
  serveApi(crons)
  const onClose = vi.fn<() => void>()
  const { user } = open({ onClose })
  const footer = (await screen.findByRole('button', { name: 'Submit' })).parentElement ?? document.body
  expect(
    within(footer)
      .getAllByRole('button')
      .map(({ textContent }) => textContent),
  ).toEqual(['Cancel', 'Submit'])
  await user.click(within(footer).getByRole('button', { name: 'Cancel' }))
  expect(onClose).toHaveBeenCalledOnce()
})

test('time zones with the same winter offset as the browser come first', async () => {
  const options = { ...Intl.DateTimeFormat().resolvedOptions(), timeZone: 'Europe/Zurich' }
  const here = vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue(options)
  serveApi(crons)
  const { user } = open()
  await user.click(await screen.findByRole('combobox', { name: 'Timezone' }))
  const zonesOf = async (name: string): Promise<string[]> =>
    within(await screen.findByRole('group', { name }))
      .getAllByRole('option')
      .map(({ textContent }) => textContent)
  const near = await zonesOf('With your offset')
  here.mockRestore()
  expect(near).toEqual(expect.arrayContaining(['Europe/Zurich', 'Europe/Paris', 'Africa/Lagos']))
  const hour = 3_600_000
  expect(near.filter((zone) => winterOffset(zone, new Date().getFullYear()) !== hour)).toEqual([])
  expect((await zonesOf('Others'))[0]).toBe('UTC')
})

test('a new report lists what it contains, and starts with the default email of a sender', async () => {
  serveApi(crons)
  open()
  expect(await screen.findByText(/^The rows of every table and chart of the dashboard\. KPI tiles,/)).toBeVisible()
  expect(screen.getByLabelText(/^From Name/)).toHaveValue('Reports')
  expect(screen.getByLabelText(/^HTML Body/)).toHaveValue(defaultEmail.bodyHtml)
})

test('the panels are listed in order', async () => {
  serveApi(crons)
  open()
  await screen.findByText('Cron Settings')
  const titles = [...document.querySelectorAll('summary')].map(({ textContent }) => textContent)
  const last = 'File Transfer Settings and Email Notification Settings'
  expect(titles).toEqual(['Cron Settings', 'Download Settings', last])
})

test('an existing cron without an end keeps having none', async () => {
  const sent = serveApi({ ...crons, 'PUT /scheduler/v1/crons/c1': answer(aCron()) })
  const { user, onSaved } = open({ kept: aCron({ cronRepeat: null }), instruction: null })
  expect(await screen.findByRole('combobox', { name: 'End Type' })).toHaveValue('No end')
  expect(screen.queryByLabelText(/^End Date/)).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onSaved).toHaveBeenCalled())
  const { body } = sent.find(({ call }) => call.startsWith('PUT')) ?? {}
  expect(body).not.toHaveProperty('cronEnd')
  expect(body).not.toHaveProperty('cronRepeat')
})

test('a report without a dashboard has no instruction', async () => {
  serveApi(crons)
  open({ instruction: null })
  expect(await screen.findByText('instruction has not been provided!')).toBeVisible()
})

test('the timing of an existing cron is disabled, and an empty password keeps the stored one', async () => {
  const sent = serveApi({ ...crons, 'PUT /scheduler/v1/crons/c1': answer(aCron()) })
  const { user, onSaved } = open({ kept: aCron(), instruction: null })
  expect(await screen.findByRole('combobox', { name: 'Hour' })).toBeDisabled()
  expect(screen.getByRole('combobox', { name: 'Offset' })).toBeDisabled()
  expect(screen.getByLabelText(/^Start Date/)).toBeDisabled()
  expect(screen.getByRole('region', { name: 'Next runs' })).toHaveTextContent('A run on Dec 1 takes Nov 1 to Nov 30.')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  await waitFor(() => expect(onSaved).toHaveBeenCalledWith('Weekly report'))
  const { body } = sent.find(({ call }) => call.startsWith('PUT')) ?? {}
  expect(body).toMatchObject({ cron: '30 9 * * 1-5', cronRepeat: 10, ftpUser: 'mara' })
  expect(body).not.toHaveProperty('ftpPass')
})

/** Enters a text in one step: single keystrokes are slow here. */
const fill = (label: RegExp, text: string): void => {
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } })
}

const day = (daysAhead: number): string => new Date(Date.now() + daysAhead * 86_400_000).toISOString().slice(0, 10)
const utc = { cronTZ: 'UTC', name: 'A report', notificationEmails: 'mara@example.com' }
const submit = (): HTMLElement => screen.getByRole('button', { name: 'Submit' })

test('a weekly cron needs a weekday, a monthly one a day; Mon - Fri selects the workdays', async () => {
  const sent = serveApi({ ...crons, 'POST /scheduler/v1/crons': answer(aCron({ name: 'A report' }), 201) })
  const { user, onSaved } = open({ initial: { ...utc, hour: 9, minute: 30, offset: '30', start: day(1) } })
  fill(/^File Name/, 'report')
  await pick(user, 'End Type', 'Number of repeats')
  fill(/^Number of repeats/, '3')
  await user.click(await screen.findByText('Monthly'))
  await user.click(submit())
  const days = screen.getByRole('group', { name: 'Days of month' })
  expect((await screen.findAllByText('Value is required!')).length).toBe(1)
  await user.click(within(days).getByRole('checkbox', { name: '31' }))
  expect(await screen.findByText(/^No run on the 31st in February, April, June/)).toBeVisible()
  await user.click(screen.getByText('Weekly', { exact: true }))
  expect(await screen.findByText('Value is required!')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Mon - Fri' }))
  expect(await screen.findByText('Every Monday to Friday at 9:30 AM, UTC time')).toBeVisible()
  await user.click(submit())
  await waitFor(() => expect(onSaved).toHaveBeenCalled())
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toMatchObject({
    cron: '30 9 * * 1-5',
    cronRepeat: 3,
    cronStart: day(1),
    instruction: { url, offset: '30' },
  })
})

test('invalid dates: a past day, an end within two days, and an end before the first run', async () => {
  serveApi(crons)
  const { user } = open({ initial: { ...utc, period: 'Daily', hour: 9, start: day(-1), cronEnd: day(0), offset: '1' } })
  fill(/^File Name/, 'report')
  await user.click(submit())
  expect(await screen.findByText('Value is past!')).toBeVisible()
  expect(screen.getByText('Value is invalid!')).toBeVisible()
  fill(/^Start Date/, day(1))
  fill(/^End Date/, day(2))
  await waitFor(() => expect(screen.queryByText('Value is past!')).toBeNull())
  expect(screen.getByText('Value is invalid!')).toBeVisible()
  fill(/^End Date/, day(3))
  await waitFor(() => expect(screen.queryByText('Value is invalid!')).toBeNull())
  expect(within(screen.getByRole('region', { name: 'Next runs' })).getAllByRole('listitem')).toHaveLength(3)
})

test('a past day is reported before the hour is chosen', async () => {
  serveApi(crons)
  const { user } = open({ initial: { ...utc, period: 'Daily', start: day(-1) } })
  await user.click(submit())
  expect(await screen.findByText('Value is past!')).toBeVisible()
  fill(/^Start Date/, day(0))
  await waitFor(() => expect(screen.queryByText('Value is past!')).toBeNull())
})

test('a custom offset is 4 to 93 days', async () => {
  serveApi(crons)
  const { user } = open({ initial: utc })
  await pick(user, 'Offset', 'Custom')
  await user.click(submit())
  fill(/^Days before/, '94')
  expect(await screen.findByText('Value cannot be greater than 93')).toBeVisible()
  fill(/^Days before/, '3')
  expect(await screen.findByText('Value cannot be less than 4')).toBeVisible()
  for (const days of ['0', '1', '-1']) {
    fill(/^Days before/, days)
    expect(await screen.findByText('Value cannot be less than 4')).toBeVisible()
  }
  fill(/^Days before/, '4')
  await waitFor(() => expect(screen.queryByText('Value cannot be less than 4')).toBeNull())
})

test('unknown placeholders in an email are refused, and the error lists the known ones', async () => {
  serveApi(crons)
  const { user } = open({ initial: utc })
  await user.click(submit())
  fill(/^File Name/, 'report')
  fill(/^From$/, 'mara@example.com')
  fill(/^Subject/, '{{reportname}} is ready')
  expect(
    await screen.findByText('{{reportname}} is unknown. Use {{reportName}}, {{dueDate}} or {{url}}.'),
  ).toBeVisible()
  fill(/^Subject/, '{{reportName}} is ready')
  await waitFor(() => expect(screen.queryByText(/is unknown/)).toBeNull())
  fill(/^From Name/, '{{reportName}}')
  expect(await screen.findByText('{{reportName}} cannot be used here.')).toBeVisible()
})

test('invalid file names, folders, ports and senders are refused', async () => {
  serveApi(crons)
  const { user } = open({ initial: utc })
  /** Each bad text is refused with the message, and the good one is accepted. */
  const expectRefused = async (label: RegExp, good: string, bad: string[], message = 'Value is invalid!') => {
    for (const text of bad) {
      fill(label, good)
      await waitFor(() => expect(screen.getByLabelText(label)).not.toBeInvalid())
      fill(label, text)
      await waitFor(() => expect(screen.getByLabelText(label)).toBeInvalid())
      expect(screen.getByLabelText(label)).toHaveAccessibleDescription(expect.stringContaining(message))
    }
  }
  await user.click(submit())
  await pick(user, 'Protocol', 'sftp')
  await expectRefused(/^File Name/, "it's_(a)-fine*name!.", ['four', 'with space', 'semi;colon', 'x'.repeat(101)])
  await expectRefused(/^Host/, 'files.example.com', ['not a host', '-files'])
  await expectRefused(/^Folder/, 'in/box', ['/in', 'in/', 'a?b', 'a*b', 'a"b', 'a<b', 'a>b', 'a:b', 'a|b'])
  await expectRefused(/^Port/, '25', ['24', '70000'])
  await expectRefused(/^User Name/, 'mara', [''], 'Value is required!')
  await expectRefused(/^Password/, 'secret', [''], 'Value is required!')
  await expectRefused(/^From$/, '', ['no-address'])
  fill(/^From$/, 'mara@example.com')
  await expectRefused(/^Subject/, 'Your report', [''], 'Value is required!')
  await expectRefused(/^HTML Body/, '<p>Here</p>', ['', ' '], 'Value is required!')
})

test('an export shows its settings and the date field that its offset applies to', async () => {
  beSignedIn({ policies: ['scheduler-crons-list', 'scheduler-crons-create', 'contact-offers-list'] })
  const instruction = { name: 'Donors', delimiter: 'csv', exportFields: ['First'] }
  const sent = serveApi({
    ...crons,
    'GET /contact-service/v1/fields': answer([
      { name: 'First', type: 'string', isIndexed: false },
      { name: 'Last Gift', type: 'date', isIndexed: false },
    ]),
    'POST /scheduler/v1/crons': answer(aCron(), 201),
  })
  const timing = { period: 'Daily' as const, hour: 9, start: day(1), cronEnd: day(9), offset: 'LM' }
  const { user, onSaved } = open({ consumerCode: 'EXPORT', instruction, initial: { ...utc, ...timing } })
  expect(screen.queryByText('Download Settings')).toBeNull()
  expect(screen.getByText('Export Settings')).toBeVisible()
  expect(await screen.findByText(/^A run on \w+ \d+ takes \w+ 1 to \w+ \d+\.$/)).toBeVisible()
  await pick(user, 'Date Field', 'Last Gift')
  await user.click(submit())
  await waitFor(() => expect(onSaved).toHaveBeenCalled())
  expect(sent.find(({ call }) => call.startsWith('POST'))?.body).toMatchObject({
    consumerCode: 'EXPORT',
    instruction: { ...instruction, offset: 'LM', dateField: 'Last Gift' },
  })
})

test('a refusal by the server is shown at its field, and the dialog stays open', async () => {
  const details = [{ field: 'name', message: 'Name already exists!' }]
  serveApi({
    ...crons,
    'POST /scheduler/v1/crons': refusal(400, 'invalid_input', 'name: Name already exists!', details),
  })
  const timing = { period: 'Daily' as const, hour: 9, start: day(1), cronEnd: day(9), offset: '1' }
  const { user, onSaved } = open({ initial: { ...utc, ...timing } })
  fill(/^File Name/, 'report')
  await user.click(submit())
  expect(await screen.findByText('Name already exists!')).toBeVisible()
  expect(onSaved).not.toHaveBeenCalled()
  fill(/^Name/, 'Another')
  await waitFor(() => expect(screen.queryByText('Name already exists!')).toBeNull())
})
