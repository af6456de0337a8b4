import type { Schedule } from '@portico/contract/scheduler/schedules'
import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { pick } from '#test/pick.ts'
import { renderApp } from '#test/render.tsx'
import { aRun, runDetails } from '#test/schedules.ts'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { localText, today } from './calendar-days.ts'
import { SchedulesTab } from './schedules-tab.tsx'

const policies = ['scheduler-crons-list', 'scheduler-crons-create', 'scheduler-crons-update']

beforeEach(() => beSignedIn({ policies }))

/** A moment of today in this machine's local time. */
const todayAt = (time: string): string => new Date(`${today()}T${time}:00`).toISOString()

const inAWhile = (): string => new Date(Date.now() + 60_000).toISOString()

const open = () => {
  const onCron = vi.fn<(id: string) => void>()
  return { ...renderApp(<SchedulesTab consumerCode="EXPORT" isLive onCron={onCron} />), onCron }
}

const runs = 'GET /scheduler/v1/schedules'
const upcoming = 'GET /scheduler/v1/crons'
const portal = (made: Schedule[], next: Schedule[] = []): Parameters<typeof serveApi>[0] => ({
  [runs]: answer(made),
  [upcoming]: answer(next),
})

test('starts with the week: its past and its upcoming runs', async () => {
  const next = aRun({ _id: 'c1@later', status: 'upcoming', scheduleDate: inAWhile(), fileUrl: null })
  const sent = serveApi(portal([aRun({ scheduleDate: todayAt('00:10') })], [next]))
  open()
  expect(await screen.findByRole('button', { name: '12:10 AM Weekly report, completed' })).toBeInTheDocument()
  expect(screen.getByRole('button', { name: /Weekly report, upcoming$/ })).toBeInTheDocument()
  const asked = sent.find(({ call }) => call === runs)?.query
  expect(asked).toMatchObject({ consumerCode: 'EXPORT', state: '', limit: '10000' })
  expect(localText(asked?.['from'] ?? '')).toMatch(/ 00:00:00$/)
  expect(sent.find(({ call }) => call === upcoming)?.query).toMatchObject({
    consumerCode: 'EXPORT',
    instances: asked?.['to'],
  })
})

test('the status is filtered by the server, weekdays and hours by the browser', async () => {
  const sent = serveApi(
    portal([aRun({ scheduleDate: todayAt('07:00') }), aRun({ _id: '8', scheduleDate: todayAt('13:00') })]),
  )
  const { user } = open()
  await screen.findByRole('button', { name: '1:00 PM Weekly report, completed' })
  await pick(user, 'Hours', '6:00 AM – 12:00 PM')
  await waitFor(() => expect(screen.queryByRole('button', { name: /^1:00 PM/ })).toBeNull())
  expect(screen.getByRole('button', { name: /^7:00 AM/ })).toBeInTheDocument()
  await pick(user, 'Schedule status', 'terminated')
  await waitFor(() => expect(sent.at(-1)).toMatchObject({ call: runs, query: { state: 'terminated' } }))
})

test('a month requests the first runs of each day; the link to the others opens the day', async () => {
  const five = Array.from({ length: 5 }, (_, index) =>
    aRun({ _id: String(index), scheduleDate: todayAt(`0${index}:15`) }),
  )
  const day = { day: today(), counts: { completed: 190, terminated: 10 }, runs: five }
  const sent = serveApi({
    ...portal(five),
    'GET /scheduler/v1/calendar': answer({ asOf: todayAt('00:00'), days: [day] }),
  })
  const { user } = open()
  await user.click(screen.getByRole('radio', { name: 'Month' }))
  const link = await screen.findByRole('button', { name: /^\+19\d more on / })
  expect(sent.find(({ call }) => call.endsWith('/calendar'))?.query).toMatchObject({
    consumerCode: 'EXPORT',
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    weekdays: 'all week',
    hours: '0-24',
  })
  await user.click(link)
  expect(screen.getByRole('radio', { name: 'Day' })).toBeChecked()
  expect(await screen.findByRole('button', { name: '12:15 AM Weekly report, completed' })).toBeInTheDocument()
})

test('arrow keys move between the days of a month, and Enter opens a day', async () => {
  serveApi({ ...portal([]), 'GET /scheduler/v1/calendar': answer({ asOf: todayAt('00:00'), days: [] }) })
  const { user } = open()
  await user.click(screen.getByRole('radio', { name: 'Month' }))
  const days = await screen.findAllByRole('button', { name: /, 0 runs$/ })
  act(() => days[0]?.focus())
  await user.keyboard('{ArrowRight}{ArrowDown}')
  expect(days[8]).toHaveFocus()
  await user.keyboard('{Enter}')
  expect(screen.getByRole('radio', { name: 'Day' })).toBeChecked()
  expect(days[8]?.getAttribute('aria-label')).toContain(screen.getByText(/^\w+day, \w+ \d+, \d{4}$/).textContent)
})

test('the card of a run shows its attempts, sends its file again, and links to its cron', async () => {
  const run = aRun({ scheduleDate: todayAt('09:30'), comment: 'late', fileTransferStatus: 'rejected' })
  const delivery = {
    _id: 'd1',
    kind: 'sftp' as const,
    target: 'files.example.com/in',
    status: 'rejected' as const,
    recoveryCount: 5,
    result: 'No route',
    nextAttemptAt: null,
    attempts: [],
    resendTarget: 'files.example.com/mended',
  }
  const attempt = { startedAt: run.scheduleDate, endedAt: run.scheduleDate, processedRecords: null }
  const later = ['rejected', 'waiting', 'completed'] as const
  let looks = 0
  const sent = serveApi({
    ...portal([run]),
    [`${runs}/7`]: () =>
      answer(
        runDetails({
          ...run,
          attempts: [{ ...attempt, status: 'recovery', error: 'The database was away.' }],
          deliveries: [{ ...delivery, status: later[looks++] ?? 'completed' }],
          job: { kind: 'export', _id: 'e1', name: 'Weekly report 2026-11-25 09:30' },
        }),
      ),
    'POST /scheduler/v1/schedules/7/deliveries/d1/resend': answer({ ...delivery, status: 'waiting' }),
  })
  const { user, onCron } = open()
  await user.click(await screen.findByRole('button', { name: '9:30 AM Weekly report, completed' }))
  const card = await screen.findByRole('dialog', { name: 'Weekly report' })
  expect(await within(card).findByText(/^recovery: .*, The database was away\.$/)).toBeVisible()
  expect(card).toHaveTextContent(/Sequence3/)
  expect(card).toHaveTextContent(/Processed Records48,213/)
  expect(card).toHaveTextContent(/Recovery Count1/)
  expect(card).toHaveTextContent(/Commentlate/)
  expect(within(card).queryByRole('button', { name: 'Download' })).toBeNull()
  await user.click(within(card).getByRole('button', { name: 'Resend to files.example.com/mended' }))
  const asking = await screen.findByRole('dialog', { name: 'Resend' })
  expect(asking).toHaveTextContent('as the cron says now: to files.example.com/mended.')
  expect(sent.some(({ call }) => call.endsWith('/resend'))).toBe(false)
  await user.click(within(asking).getByRole('button', { name: 'Resend' }))
  expect(await screen.findByText('Sent to files.example.com/mended again.')).toBeVisible()
  expect(sent.some(({ call }) => call.endsWith('/resend'))).toBe(true)
  const deliveries = within(card).getByText('files.example.com/in').parentElement
  await waitFor(() => expect(deliveries).toHaveTextContent('completed'), { timeout: 10_000 })
  await user.click(within(card).getByRole('button', { name: 'Show cron' }))
  expect(onCron).toHaveBeenCalledWith('c1')
})

test('an upcoming run can be skipped by users who may change crons', async () => {
  const next = aRun({ _id: 'c1@later', status: 'upcoming', scheduleDate: inAWhile() })
  const sent = serveApi({ ...portal([], [next]), 'POST /scheduler/v1/crons/c1/skips': answer(next, 201) })
  const { user } = open()
  await user.click(await screen.findByRole('button', { name: /, upcoming$/ }))
  await user.click(await screen.findByRole('button', { name: 'Skip' }))
  await waitFor(() =>
    expect(sent.find(({ call }) => call.endsWith('/skips'))?.body).toEqual({ date: next.scheduleDate }),
  )
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('REFRESH is locked until the next quarter of an hour', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: new Date('2026-11-25T10:07:00Z') })
  const sent = serveApi(portal([]))
  open()
  expect(screen.getByRole('button', { name: 'REFRESH' })).toBeDisabled()
  expect(screen.getByText(/^Next refresh at \d+:15 [AP]M$/)).toBeVisible()
  await act(() => vi.advanceTimersByTimeAsync(8 * 60_000))
  const before = sent.length
  act(() => screen.getByRole('button', { name: 'REFRESH' }).click())
  await waitFor(() => expect(sent.length).toBeGreaterThan(before))
  await waitFor(() => expect(screen.getByRole('button', { name: 'REFRESH' })).toBeDisabled())
  expect(screen.getByText(/^Next refresh at \d+:30 [AP]M$/)).toBeVisible()
})

test('a week with too many upcoming runs shows a note and the past runs', async () => {
  serveApi({
    [runs]: answer([aRun({ scheduleDate: todayAt('00:10') })]),
    [upcoming]: refusal(400, 'too_many_runs', 'instances: More than 10,000 runs.'),
  })
  open()
  expect(
    await screen.findByText('Upcoming runs are not shown: there are more than 10,000. Choose a day.'),
  ).toBeVisible()
  expect(screen.getByRole('button', { name: '12:10 AM Weekly report, completed' })).toBeInTheDocument()
})

test('without the right to see runs a message is shown', async () => {
  serveApi({ [runs]: refusal(403, 'not_allowed'), [upcoming]: refusal(403, 'not_allowed') })
  open()
  expect(await screen.findByText("You don't have permission to view crons!")).toBeVisible()
})

test('a phone shows a list of the days that have runs', async () => {
  const desktop = window.matchMedia
  window.matchMedia = (media) => Object.assign(desktop(media), { matches: media === '(max-width: 640px)' })
  try {
    const run = aRun({ scheduleDate: todayAt('09:30'), status: 'terminated', omission: 'missed' })
    const details = { ...run, attempts: [], deliveries: [], job: null }
    serveApi({ ...portal([run]), [`GET /scheduler/v1/schedules/${run._id}`]: answer(details) })
    const { user } = open()
    const list = await screen.findByRole('list', { name: '' })
    expect(list).toHaveTextContent('9:30 AMWeekly reportterminated (missed)')
    await user.click(within(list).getByRole('button'))
    expect(await screen.findByRole('dialog', { name: 'Weekly report' })).toBeVisible()
  } finally {
    window.matchMedia = desktop
  }
})
