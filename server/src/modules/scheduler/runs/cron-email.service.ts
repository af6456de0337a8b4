import type { AccountId } from '@portico/contract/accounts'
import { momentInWords } from '@portico/domain/scheduler/time-words'
import { readEmailList } from '@portico/contract/email-list'
import { requireAccount } from '#accounts'
import { sendEmailAbout } from '#delivery'
import type { Config } from '#platform/config.ts'
import { type Database, inTransaction } from '#platform/database.ts'
import { quotedText, renderEmail } from '#platform/email-body.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Consumer, Consumers } from '../consumers.ts'
import { consumerOf } from '../crons/found-cron.ts'
import { type AccountTurns, nextInTurn } from './account-turns.ts'
import { lockUntoldRuns, type UntoldRun, updateTold } from './due.queries.ts'
import type { LeftOut } from './left-out.ts'
import { onReachableAccounts, type Turn } from './reachable-accounts.ts'

type PortalNames = Pick<Config, 'company' | 'product' | 'publicUrl'>

export type EmailDeps = { database: Database; jobs: Jobs; config: PortalNames; consumers: Consumers }

/** Maximum number of runs listed in one email; the rest are counted. */
const runsListed = 10
const runsAtOnce = 1000

/**
 * Emails the recipients of one cron, of the account whose turn it is, about runs that failed, were missed or whose file could not be delivered. Safe to
 * repeat: an email is stored in the transaction that marks its runs as told. An account for which this fails is left out
 * for a while.
 * @returns false when there was nothing to tell
 */
export async function emailAboutRuns(
  deps: EmailDeps,
  turns: AccountTurns,
  leftOut: LeftOut<AccountId>,
): Promise<boolean> {
  const current: Turn = { account: null }
  try {
    return await onReachableAccounts((away, turn) =>
      emailNext(deps, turns, [...away, ...leftOut.ids()], turn).finally(() => (current.account = turn.account)),
    )
  } catch (error) {
    if (current.account === null) throw error
    leftOut.failed(current.account, error)
    return true
  }
}

async function emailNext(
  { database, jobs, config, consumers }: EmailDeps,
  turns: AccountTurns,
  except: readonly AccountId[],
  turn: Turn,
): Promise<boolean> {
  return inTransaction(database.db, async (tx) => {
    let runs: readonly UntoldRun[] = []
    const latest = await nextInTurn(turns, async (after) => {
      runs = await lockUntoldRuns(tx, runsAtOnce, { after, except })
      return runs[0]
    })
    if (!latest) return false
    turn.account = latest.account_id
    const { name: accountName } = await requireAccount(tx, latest.account_id)
    const consumer = consumerOf(consumers, latest.consumer)
    await sendEmailAbout(
      { db: tx, jobs },
      latest.account_id,
      { kind: 'schedule', id: latest.id },
      {
        to: readEmailList(latest.emails),
        subject: subjectOf(runs, latest, consumer, config),
        ...bodyOf(runs, latest, { consumer, accountName }, config),
      },
    )
    await updateTold(
      tx,
      latest.account_id,
      runs.map(({ id }) => id),
    )
    return true
  })
}

/** Without the cron's name: recipients may be strangers who would take it for the portal's own words. */
function subjectOf(runs: readonly UntoldRun[], cron: UntoldRun, { label }: Consumer, { product }: PortalNames): string {
  if (runs.length > 1) {
    return `${runs.length.toLocaleString('en-US')} runs of a ${label} on ${product} need your attention`
  }
  return `A ${label} on ${product} was not ${cron.is_undelivered ? 'delivered' : 'completed'}`
}

function bodyOf(
  runs: readonly UntoldRun[],
  cron: UntoldRun,
  { consumer: { label, listPath }, accountName }: { consumer: Consumer; accountName: string },
  { company, product, publicUrl }: PortalNames,
): { text: string; html: string } {
  const more = runs.length - runsListed
  const list = publicUrl + listPath
  return renderEmail({
    paragraphs: [
      `${runs.length === 1 ? 'A run' : 'Runs'} of a ${label} on ${product} ${runs.length === 1 ? 'needs' : 'need'} your attention.`,
      ...runs.slice(0, runsListed).map((run) => lineOf(run, runs.length === 1 ? null : linkTo(list, run))),
      ...(more > 0 ? [`And ${more.toLocaleString('en-US')} more.`] : []),
    ],
    quoted: [
      { label: 'Schedule', text: cron.name },
      { label: 'Account', text: accountName },
    ],
    link: { label: runs.length === 1 ? 'See the run' : 'See the latest', url: linkTo(list, cron) },
    closing: ['You receive this email because you are a recipient of this schedule.'],
    sender: company,
  })
}

const dueText = ({ due_at: dueAt, zone }: UntoldRun): string => `${momentInWords(zone, dueAt.getTime())} (${zone})`

/**
 * A line about a run with its reason, which may contain texts of others, and with its link if there are several runs.
 */
const lineOf = (run: UntoldRun, link: string | null): string =>
  `The run due ${dueText(run)}: ${run.comment === null ? run.status : quotedText(run.comment)}${link === null ? '' : ` (${link})`}`

/** The page that shows the details of a run. */
const linkTo = (list: string, { account_id: account, id }: UntoldRun): string =>
  `${list}?account=${account}&schedules=1&run=${id}`
