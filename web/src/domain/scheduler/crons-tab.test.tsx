import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { aCron, aRun, runDetails } from '#test/schedules.ts'
import { answer, beSignedIn, refusal, serveApi, type Sent } from '#test/server.ts'
import { CronView } from './cron-view.tsx'
import { CronsTab } from './crons-tab.tsx'

const everything = ['scheduler-crons-list', 'scheduler-crons-create', 'scheduler-crons-update']
const list = 'GET /scheduler/v1/crons'

beforeEach(() => beSignedIn({ policies: everything }))

const open = () => {
  const [onView, newCron] = [vi.fn<(id: string) => void>(), vi.fn<() => void>()]
  return { ...renderApp(<CronsTab consumerCode="EXPORT" newCron={newCron} onView={onView} />), onView, newCron }
}

const crons = [
  aCron({
    _id: 'c1',
    name: 'Beta',
    lastRun: { status: 'terminated', state: 'terminated', date: '2026-11-20T10:00:00.000Z' },
    nextRunAt: '2026-12-01T09:30:00.000Z',
  }),
  aCron({ _id: 'c2', name: 'alpha', cronRepeat: null, cronEnd: '2026-12-31', notificationEmails: 'zoe@example.com' }),
]
const active = (sent: Sent) => answer(sent.query['terminated'] === 'true' ? [aCron({ terminated: true })] : crons)
const menuOf = (name: string) => screen.findByRole('button', { name: `More for ${name}` })

test('lists active crons without their instructions, with sorting, search and the result of the last run', async () => {
  const sent = serveApi({ [list]: active })
  const { user } = open()
  await screen.findByRole('rowheader', { name: 'alpha No more runs' })
  expect(sent[0]?.query).toEqual({ consumerCode: 'EXPORT', terminated: 'false', instruction: 'false' })
  const heads = screen.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(heads).toEqual(['Name', 'Cron Description', 'Start Date', 'End Date', 'Repeat', 'Emails', 'Actions'])
  const rows = () => screen.getAllByRole('rowheader').map(({ textContent }) => textContent)
  expect(rows()).toEqual(['alphaNo more runs', expect.stringMatching(/^Betaterminated 11\/20\/2026 .*M$/)])
  await user.click(screen.getByRole('button', { name: 'Repeat' }))
  expect(rows()[0]).toMatch(/^Beta/)
  await user.type(screen.getByRole('textbox', { name: 'Search crons by name or email' }), 'ZOE@')
  await waitFor(() => expect(rows()).toEqual(['alphaNo more runs']))
})

test('a terminated cron can only be viewed', async () => {
  serveApi({ [list]: active })
  const { user, onView } = open()
  await user.click(screen.getByRole('radio', { name: 'Terminated' }))
  const row = (await screen.findByRole('rowheader', { name: 'Weekly report' })).closest('tr')
  const buttons = within(row ?? document.body).getAllByRole('button')
  expect(buttons.map((button) => button.getAttribute('aria-label'))).toEqual(['View Weekly report'])
  await user.click(screen.getByRole('button', { name: 'View Weekly report' }))
  expect(onView).toHaveBeenCalledWith('c1')
})

test('terminating asks for confirmation, sends the whole cron, and reports success', async () => {
  const sent = serveApi({
    [list]: active,
    [`${list}/c1`]: answer(crons[0]),
    'PUT /scheduler/v1/crons/c1': answer({ ...crons[0], terminated: true }),
  })
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: 'Terminate Beta' }))
  const question =
    "Are you sure you want to terminate 'Beta'? This will also terminate all existing and future schedules."
  expect(await screen.findByText(question)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Terminate' }))
  expect(await screen.findByText('Beta was terminated.')).toBeVisible()
  const { body } = sent.find(({ call }) => call.startsWith('PUT')) ?? {}
  expect(body).toMatchObject({ name: 'Beta', cron: '30 9 * * 1-5', terminated: true })
})

test('a pause takes a reason; run now, resume and take over need no confirmation', async () => {
  const paused = { reason: 'Holidays', since: '2026-11-20T10:00:00.000Z', by: 'mara.klein@example.com' }
  const [first] = crons
  let shown = { ...first, mayTakeOver: true }
  const sent = serveApi({
    [list]: () => answer([shown]),
    'POST /scheduler/v1/crons/c1/pause': () => answer((shown = { ...shown, paused } as typeof shown)),
    'POST /scheduler/v1/crons/c1/resume': () => answer((shown = { ...shown, paused: null })),
    'POST /scheduler/v1/crons/c1/run': answer(aRun({ status: 'waiting' }), 202),
    'POST /scheduler/v1/crons/c1/author': () => answer(shown),
  })
  const { user } = open()
  const choose = async (entry: string): Promise<void> => {
    await user.click(await menuOf('Beta'))
    await user.click(await screen.findByRole('menuitem', { name: entry }))
  }
  await choose('Run now')
  expect(await screen.findByText('Beta runs now.')).toBeVisible()
  await choose('Take over')
  expect(await screen.findByText('Beta now runs with your rights.')).toBeVisible()
  await choose('Pause')
  await user.type(await screen.findByRole('textbox', { name: 'Reason' }), 'Holidays')
  await user.click(screen.getByRole('button', { name: 'Pause' }))
  expect(await screen.findByText('Paused: Holidays')).toBeVisible()
  expect(sent.find(({ call }) => call.endsWith('/pause'))?.body).toEqual({ reason: 'Holidays' })
  await choose('Resume')
  await waitFor(() => expect(screen.queryByText('Paused: Holidays')).toBeNull())
})

test('a run that cannot start now is reported', async () => {
  serveApi({
    [list]: active,
    'POST /scheduler/v1/crons/c1/run': refusal(409, 'run_waiting', 'A run of this cron is waiting already.'),
  })
  const { user } = open()
  await user.click(await menuOf('Beta'))
  await user.click(await screen.findByRole('menuitem', { name: 'Run now' }))
  expect(await screen.findByText('A run of this cron is waiting already.')).toBeVisible()
})

test('a refused action shows that the permission is missing', async () => {
  serveApi({ [list]: active, 'POST /scheduler/v1/crons/c1/run': refusal(403, 'not_allowed') })
  const { user } = open()
  await user.click(await menuOf('Beta'))
  await user.click(await screen.findByRole('menuitem', { name: 'Run now' }))
  expect(await screen.findByText("You don't have permission to view crons!")).toBeVisible()
})

test('without the rights, buttons stay and name whom to ask', async () => {
  beSignedIn({ policies: ['scheduler-crons-list'] })
  const sent = serveApi({ [list]: active })
  const { user, newCron } = open()
  await user.click(await screen.findByRole('button', { name: 'Edit Beta' }))
  const text = 'Contact your admin to see how you can get this feature.'
  expect(await screen.findByText(text)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'ADD NEW CRON' }))
  expect(newCron).not.toHaveBeenCalled()
  expect(sent).toHaveLength(1)
})

test('through an impersonation link, buttons stay and ask to sign in', async () => {
  beSignedIn({
    policies: ['scheduler-crons-list'],
    isImpersonated: true,
    impersonatedUntil: '2026-12-01T00:00:00.000Z',
  })
  serveApi({ [list]: active })
  const { user, newCron } = open()
  await user.click(await screen.findByRole('button', { name: 'Edit Beta' }))
  const text = 'Impersonation links cannot save anything that acts later. Sign in to do this.'
  expect(await screen.findByText(text)).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'ADD NEW CRON' }))
  expect(newCron).not.toHaveBeenCalled()
})

test('ADD NEW CRON opens the form', async () => {
  serveApi({ [list]: answer([]) })
  const { user, newCron } = open()
  expect(await screen.findByText('No crons are available.')).toBeVisible()
  expect(screen.getByText('Crons repeat exports and reports at times that you choose.').closest('p p')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'ADD NEW CRON' }))
  expect(newCron).toHaveBeenCalledOnce()
})

test('a refused list of crons shows a message', async () => {
  serveApi({ [list]: refusal(403, 'not_allowed') })
  open()
  expect(await screen.findByText("You don't have permission to view crons!")).toBeVisible()
})

test('a 404 for the list shows no crons; a 404 for a cron names the failed operation', async () => {
  const missing = refusal(404, 'not_found', 'This does not exist.')
  serveApi({ [list]: missing, [`${list}/c1`]: missing })
  open()
  expect(await screen.findByText('No crons are available.')).toBeVisible()
  expect(screen.queryByText(/This does not exist/)).toBeNull()
  renderApp(<CronView id="c1" onClose={vi.fn<() => void>()} />)
  expect(await screen.findByText("Error in 'get cron': This does not exist. (status=404)")).toBeVisible()
})

test('a cron is shown with its last completed run and its next one', async () => {
  const notification = { from: 'mara@example.com', fromName: 'Mara', subject: 'Your report', bodyHtml: '<p>x</p>' }
  const download = { fileName: 'report', zipped: true }
  const instruction = { ...aCron().instruction, download, notification }
  serveApi({
    [`${list}/c1`]: answer(aCron({ lastComletedScheduleId: '7', instruction })),
    'GET /scheduler/v1/schedules/7': answer(runDetails({ scheduleDate: '2026-11-20T10:00:00.000Z' })),
  })
  const onClose = vi.fn<() => void>()
  const { user } = renderApp(<CronView id="c1" onClose={onClose} />)
  const information = await screen.findByRole('region', { name: 'Schedules Information' })
  await waitFor(() => expect(information).toHaveTextContent(/Last completed schedule11\/20\/2026/))
  expect(information).toHaveTextContent(/Next scheduleN\/A/)
  expect(screen.getByRole('region', { name: 'Cron Settings' })).toHaveTextContent('Offset30 days before')
  expect(screen.getByRole('region', { name: 'Instruction' })).toHaveTextContent('"fileName": "report"')
  const downloadPart = screen.getByRole('region', { name: 'Download Settings' })
  expect(downloadPart).toHaveTextContent(
    'File NamereportDelimitercommaMultiple filesNoZippedYesAdd quotesNoOverwriteNo',
  )
  const notificationPart = screen.getByRole('region', { name: 'Email Notification Settings' })
  expect(notificationPart).toHaveTextContent('Frommara@example.comFrom NameMaraAttach the filesNoSubjectYour report')
  // In the corner of the dialog, and in its footer.
  const buttons = within(screen.getByRole('dialog')).getAllByRole('button')
  expect(buttons.map((button) => button.getAttribute('aria-label') ?? button.textContent)).toEqual(['Close', 'Close'])
  await user.click(screen.getAllByRole('button', { name: 'Close' }).at(-1) ?? document.body)
  expect(onClose).toHaveBeenCalled()
})

test('a report without an instruction shows a message; an export shows what it exports', async () => {
  const { instruction: _none, ...bare } = aCron()
  const exported = { name: 'Donors', delimiter: 'pipe', exportFields: ['First', 'Email'], offset: '12' }
  serveApi({
    [`${list}/c1`]: answer(bare),
    [`${list}/c2`]: answer(aCron({ _id: 'c2', consumerCode: 'EXPORT', instruction: exported })),
  })
  const report = renderApp(<CronView id="c1" onClose={vi.fn<() => void>()} />)
  expect(await screen.findByText('instruction has not been provided!')).toBeVisible()
  report.unmount()
  renderApp(<CronView id="c2" onClose={vi.fn<() => void>()} />)
  const settings = await screen.findByRole('region', { name: 'Export Settings' })
  expect(settings).toHaveTextContent('Pipe (.txt)')
  expect(settings).toHaveTextContent('Fields (2)FirstEmail')
  expect(screen.getByRole('region', { name: 'Cron Settings' })).toHaveTextContent(
    'Offset12 days beforeDate FieldEvent date',
  )
})
