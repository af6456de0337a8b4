import type { AccountId } from '@portico/contract/accounts'
import { momentInWords } from '@portico/domain/scheduler/time-words'
import { readEmailList } from '@portico/contract/email-list'
import { requireAccount } from '#accounts'
import { sendEmailAbout } from '#delivery'
import type { Config } from '#platform/config.ts'
import { type Database, type Db, inTransaction, setLocally } from '#platform/database.ts'
import { quotedText, renderEmail } from '#platform/email-body.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Consumer, Consumers } from '../consumers.ts'
import { consumerOf } from '../crons/found-cron.ts'
import { type AccountTurns, nextInTurn } from './account-turns.ts'
import type { LeftOut } from './left-out.ts'
import { onReachableAccounts, type Turn } from './reachable-accounts.ts'
import { selectUntoldCron, type ToldRun, type ToldRuns, type UntoldCron, updateTold } from './untold-runs.queries.ts'

type PortalNames = Pick<Config, 'company' | 'product' | 'publicUrl'>

export type EmailDeps = { database: Database; jobs: Jobs; config: PortalNames; consumers: Consumers }

/** Maximum number of runs listed in one email; the rest are counted. */
const listed = 10
/** Runs that one statement marks: far fewer than take as long as it may. */
const runsAtOnce = 2000
/** In ms. One email tells of the runs that are marked in this time; the next one tells of the others. */
const mostMs = 1000
const statementMs = 10_000

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
    await setLocally(tx, 'statement_timeout', String(statementMs))
    const about = await nextInTurn(turns, async (after) => {
      const cron = await selectUntoldCron(tx, { after, except })
      turn.account = cron?.account_id ?? null
      const runs = cron && (await tell(tx, cron))
      return runs && { ...runs, account_id: cron.account_id, cron }
    })
    if (!about) return false
    const { cron } = about
    const { name: accountName } = await requireAccount(tx, cron.account_id)
    const consumer = consumerOf(consumers, cron.consumer)
    await sendEmailAbout(
      { db: tx, jobs },
      cron.account_id,
      { kind: 'schedule', id: about.latest[0].id },
      {
        to: readEmailList(cron.emails),
        subject: subjectOf(about, consumer, config),
        ...bodyOf(about, { consumer, accountName }, config),
      },
    )
    return true
  })
}

type Told = Omit<ToldRuns, 'latest'> & { latest: [ToldRun, ...ToldRun[]] }
type About = Told & { cron: UntoldCron }

/** Marks the runs of a cron that one email tells of: all of them, as far as a second is enough. Undefined where there are none. */
async function tell(tx: Db, cron: UntoldCron): Promise<Told | undefined> {
  const until = performance.now() + mostMs
  let upTo: Date | null = null
  let told: Told | undefined
  do {
    const part: ToldRuns | null = await updateTold(tx, cron.account_id, cron.id, { upTo, limit: runsAtOnce, listed })
    const [latest, ...others] = part?.latest ?? []
    if (!part || !latest) break
    told = { latest: told?.latest ?? [latest, ...others], count: (told?.count ?? 0) + part.count, first: part.first }
    upTo = part.count === runsAtOnce ? part.first : null
  } while (upTo !== null && performance.now() < until)
  return told
}

/** Without the cron's name: recipients may be strangers who would take it for the portal's own words. */
function subjectOf({ count, latest: [run] }: About, { label }: Consumer, { product }: PortalNames): string {
  if (count > 1) return `${count.toLocaleString('en-US')} runs of a ${label} on ${product} need your attention`
  return `A ${label} on ${product} was not ${run.is_undelivered ? 'delivered' : 'completed'}`
}

function bodyOf(
  { cron, count, first, latest }: About,
  { consumer: { label, listPath }, accountName }: { consumer: Consumer; accountName: string },
  { company, product, publicUrl }: PortalNames,
): { text: string; html: string } {
  const more = count - latest.length
  const linkOf = ({ id }: ToldRun) => `${publicUrl}${listPath}?account=${cron.account_id}&schedules=1&run=${id}`
  return renderEmail({
    paragraphs: [
      `${count === 1 ? 'A run' : 'Runs'} of a ${label} on ${product} ${count === 1 ? 'needs' : 'need'} your attention.`,
      ...latest.map((run) => lineOf(cron, run, count === 1 ? null : linkOf(run))),
      ...(more > 0 ? [`And ${more.toLocaleString('en-US')} more, the first due ${dueText(cron, first)}.`] : []),
    ],
    quoted: [
      { label: 'Schedule', text: cron.name },
      { label: 'Account', text: accountName },
    ],
    link: { label: count === 1 ? 'See the run' : 'See the latest', url: linkOf(latest[0]) },
    closing: ['You receive this email because you are a recipient of this schedule.'],
    sender: company,
  })
}

const dueText = ({ zone }: UntoldCron, dueAt: Date): string => `${momentInWords(zone, dueAt.getTime())} (${zone})`

/** A line about a run with its reason, which may contain texts of others, and with the link of its card if there are several runs. */
const lineOf = (cron: UntoldCron, run: ToldRun, link: string | null): string =>
  `The run due ${dueText(cron, run.due_at)}: ${run.comment === null ? run.status : quotedText(run.comment)}${link === null ? '' : ` (${link})`}`
