import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { pick } from '#test/pick.ts'
import { renderApp } from '#test/render.tsx'
import { aCron, aRun, runDetails } from '#test/schedules.ts'
import { answer, beSignedIn, refusal, serveApi } from '#test/server.ts'
import { ManageDialog } from '../manage-dialog.tsx'
import { RunRangeDialog } from '../run-range-dialog.tsx'
import { today } from './calendar-days.ts'

const policies = ['scheduler-crons-list', 'scheduler-crons-create', 'scheduler-crons-update']
beforeEach(() => beSignedIn({ policies }))

const undelivered = aRun({
  scheduleDate: new Date(`${today()}T09:30:00`).toISOString(),
  state: 'undelivered',
  fileTransferStatus: 'rejected',
  comment: 'its file could not be delivered: The server rejected the user name or password.',
})
const daily = aCron({ consumerCode: 'EXPORT', cron: '30 9 * * *', cronStart: '2026-01-01', cronRepeat: null })

const portal = {
  'GET /scheduler/v1/schedules': answer([undelivered]),
  'GET /scheduler/v1/crons': answer([]),
  'GET /scheduler/v1/schedules/7': answer(runDetails(undelivered)),
  'GET /scheduler/v1/crons/c1': answer({
    ...daily,
    instruction: { name: 'Weekly', offset: '1', exportFields: ['_id'] },
  }),
}
const open = (route: string) =>
  renderApp(<ManageDialog consumerCode="EXPORT" newCron={vi.fn<() => void>()} onClose={vi.fn<() => void>()} />, route)

test('a run that was not delivered is shown as such in the calendar, and can be filtered by', async () => {
  const sent = serveApi(portal)
  const { user } = open('/contact-service/exports')
  const block = await screen.findByRole('button', { name: '9:30 AM Weekly report, not delivered' })
  expect(block).toHaveAttribute('data-status', 'undelivered')
  await pick(user, 'Schedule status', 'not delivered')
  await waitFor(() => expect(sent.some(({ query }) => query['state'] === 'undelivered')).toBe(true))
})

test('a link opens the card of its run, and running it again states the days that it covers', async () => {
  const sent = serveApi({
    ...portal,
    'POST /scheduler/v1/crons/c1/backfills': answer({ count: 1, runs: [undelivered] }, 202),
  })
  const { user } = open('/contact-service/exports?schedules=1&run=7')
  const card = await screen.findByRole('dialog', { name: 'Weekly report' })
  expect(await within(card).findByText('not delivered')).toBeVisible()
  expect(card).toHaveTextContent('The server rejected the user name or password.')
  await user.click(within(card).getByRole('button', { name: 'Run again' }))
  const asking = await screen.findByRole('dialog', { name: 'Run again' })
  await waitFor(() =>
    expect(asking).toHaveTextContent(/with the present settings of its cron\? A run on \w+ \d+ takes \w+ \d+\./),
  )
  await user.click(within(asking).getByRole('button', { name: 'Run again' }))
  await waitFor(() =>
    expect(sent.find(({ call }) => call.endsWith('/backfills'))?.body).toEqual({ from: undelivered.scheduleDate }),
  )
})

test('a link to a deleted run shows that it no longer exists', async () => {
  serveApi({ ...portal, 'GET /scheduler/v1/schedules/8': refusal(404, 'not_found') })
  open('/contact-service/exports?schedules=1&run=8')
  expect(await screen.findByText(/^Error in 'get schedule'/)).toBeVisible()
})

test('a range shows the number of its due times, and runs those that were not successful again', async () => {
  const sent = serveApi({ 'POST /scheduler/v1/crons/c1/backfills': answer({ count: 2, runs: [] }, 202) })
  const onClose = vi.fn<() => void>()
  const { user } = renderApp(<RunRangeDialog cron={daily} onClose={onClose} />)
  const from = await screen.findByLabelText('From')
  const to = screen.getByLabelText('To')
  await user.clear(from)
  expect(screen.getByText('Choose a first and a last day.')).toBeVisible()
  await user.type(from, '2026-02-01')
  await user.clear(to)
  await user.type(to, '2026-02-03')
  expect(screen.getByText('3 due times on these days (UTC).')).toBeVisible()
  await user.click(screen.getByRole('button', { name: 'Run again' }))
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(sent[0]?.body).toEqual({
    from: '2026-02-01T00:00:00.000Z',
    to: '2026-02-03T23:59:59.999Z',
    which: 'unsuccessful',
  })
})
