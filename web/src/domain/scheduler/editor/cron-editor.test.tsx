import type { Cron } from '@portico/contract/scheduler/crons'
import { screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { answer, beSignedIn, beSignedOut, serveApi } from '#test/server.ts'
import { renderApp } from '#test/render.tsx'
import { CronEditor } from './cron-editor.tsx'

const url = '/api/contact-service/v1/dashboards/d1'

const aCron = (part: Partial<Cron> = {}): Cron => ({
  _id: 'c1',
  name: 'Weekly report',
  consumerCode: 'BI',
  notificationEmails: 'mara@example.com',
  cronTZ: 'UTC',
  cron: '30 9 * * 1-5',
  cronDesc: 'Every Monday to Friday at 9:30 AM, UTC time',
  cronStart: '2026-12-01',
  cronEnd: null,
  cronRepeat: 10,
  terminated: false,
  instruction: { url, offset: '30', download: { fileName: 'report' } },
  transferProtocol: 'sftp',
  ftpHost: 'files.example.com',
  ftpFolder: 'in',
  ftpPort: null,
  ftpUser: 'mara',
  createdAt: '2026-11-20T10:00:00.000Z',
  lastComletedScheduleId: null,
  nextScheduleId: null,
  author: 'mara.klein@example.com',
  paused: null,
  lastRun: null,
  nextRunAt: null,
  mayTakeOver: false,
  ...part,
})

beforeEach(() => beSignedIn({ policies: ['scheduler-crons-list', 'scheduler-crons-create', 'scheduler-crons-update'] }))
afterEach(beSignedOut)

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

test('an empty dialog says what is required', async () => {
  serveApi(crons)
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Submit' }))
  expect((await screen.findAllByText('Value is required!')).length).toBeGreaterThan(5)
})

test('a taken name and each bad address are named', async () => {
  const sent = serveApi(crons)
  const { user } = open()
  await waitFor(() => expect(sent).toHaveLength(1))
  await user.type(await screen.findByRole('textbox', { name: /^Name/ }), 'weekly REPORT')
  await user.type(screen.getByRole('textbox', { name: /^Emails/ }), 'one, mara@example.com, two')
  await user.click(screen.getByRole('button', { name: 'Submit' }))
  expect(await screen.findByText('Name already exists!')).toBeVisible()
  expect(screen.getByText('one is invalid!, two is invalid!')).toBeVisible()
})

test('without a dashboard a report has no instruction', async () => {
  serveApi(crons)
  open({ instruction: null })
  expect(await screen.findByText('instruction has not been provided!')).toBeVisible()
})

test('of an existing cron the timing is disabled, and its password is kept when it is left empty', async () => {
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
