import { momentInWords } from '@portico/domain/scheduler/time-words'
import { type Trials, tryLetter, tryUploadTo } from '#delivery'
import { requireSender } from '#senders'
import type { CronTester, CronTesting, TestedCron } from '#scheduler'
import { createFairQueue } from '#platform/waits/fair-queue.ts'
import { downloadsUrl, uploadTo } from './report-destinations.ts'
import { reportEmail } from './report-email.ts'
import { testCells, type TestDeps } from './report-cells-test.service.ts'

type Deps = TestDeps & { trials: Trials }

/** Tests of scheduled reports before they are saved. */
export function reportTester({ trials, cells }: Deps): CronTester {
  const queue = createFairQueue({ atOnce: 4, each: 1, waiting: 4 })
  return {
    transfer: (testing, { transfer }) => {
      if (!transfer) throw new Error('A test of a transfer has one.')
      return tryUploadTo({ ...trials, db: testing.db }, requesterOf(testing), uploadTo(transfer))
    },
    email: (testing, cron, { notification }) => testEmail(trials, testing, cron, notification),
    cells: (testing, { window }, instruction) =>
      queue(testing.account, async () => {
        // The caller may have lost the right while waiting for a turn.
        await testing.callerNow()
        return testCells({ cells }, testing, { ...instruction, window })
      }),
  }
}

const requesterOf = ({ account, actor: by, caller: { email }, callerNow, signal }: CronTesting) => ({
  account,
  by,
  email,
  callerNow,
  signal,
})

/** Sends the email of a report to the caller only, as recipients would get it now. */
async function testEmail(
  trials: Trials,
  testing: CronTesting,
  { name, zone, dueAt }: TestedCron,
  notification: Parameters<CronTester['email']>[2]['notification'],
) {
  const { db, account } = testing
  await requireSender(db, trials.config, account, { ...notification, field: 'instruction.notification' })
  const email = { ...notification, to: [], dueText: momentInWords(zone, dueAt.getTime()) }
  const named = { name: name || 'Report', settings: { email } }
  const letter = reportEmail(named, { sizeBytes: 0 }, downloadsUrl(trials.config, account))
  if (!letter) throw new Error('A test of an email has a sender.')
  return tryLetter({ ...trials, db }, requesterOf(testing), { type: 'letter', ...letter })
}
