import { portOf } from '@portico/contract/scheduler/cron-problems'
import { type CronTestPart, type CronTestResult, readTested } from '@portico/contract/scheduler/cron-tests'
import type { CronDraft } from '@portico/contract/scheduler/crons'
import type { ConsumerCode, Instruction } from '@portico/contract/scheduler/instructions'
import { isOffset, offsetWindow } from '@portico/domain/scheduler/offset-window'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { AccountContext } from '#platform/http/context.ts'
import type { CronTesters, TestedCron } from '../consumers.ts'
import { toKeptCron } from './cron-on-wire.ts'
import { openCronSecrets } from './cron-secrets.ts'
import { selectNow } from './crons.queries.ts'
import { consumerCodeOf, type CronDeps, refuse } from './crons.service.ts'
import { actorForRuns, consumerOf, requireCron } from './found-cron.ts'
import { savingCallOf } from './saved-cron.ts'

type TestDeps = CronDeps & { testers: CronTesters }
type Tester = Pick<AccountContext, 'db' | 'account' | 'caller' | 'callerNow' | 'actor' | 'signal'>

/** `id`: of the cron being changed; null for a new one. */
type Tested<Part extends CronTestPart> = {
  part: Part
  id: string | null
  code: ConsumerCode | undefined
  draft: CronDraft
}

/**
 * Tests a part of a cron before it is saved, as the identity it would act as.
 * @throws not_found, cron_terminated, invalid_input, not_allowed, too_many_requests
 */
export async function testCron<Part extends CronTestPart>(
  { consumers, testers, sealer }: TestDeps,
  tester: Tester,
  { part, id, code, draft }: Tested<Part>,
): Promise<CronTestResult> {
  const { db, account, caller } = tester
  const before = id === null ? null : await requireCron(db, account, id, code)
  if (before?.terminated_at) throw new AppError('cron_terminated')
  const consumer = consumerOf(consumers, before?.consumer ?? consumerCodeOf(code, draft))
  const own = testers.get(consumer.code)
  if (!own) throw invalidField('consumerCode', 'Only crons of reports can be tested.')
  const password = before === null ? undefined : openCronSecrets(sealer, before).password
  const read = readTested(part, draft, before && toKeptCron(before, password !== undefined))
  if ('problems' in read) {
    refuse(read.problems)
    throw new AppError('invalid_input')
  }
  // Which identity may have such runs depends on the dashboard, which every test names, and on the rest of the draft so
  // far.
  const acting = await actorForRuns(account, caller, consumer, {
    instruction: read.instruction as Instruction,
    saving: savingCallOf(draft, consumer.code, id),
  })
  const cron = testedCron(draft, await selectNow(db), draft.ftpPass || (password ?? ''))
  return own[part]({ ...tester, acting }, withWindow(cron, read.instruction), read.instruction)
}

function testedCron(draft: CronDraft, dueAt: Date, password: string): Omit<TestedCron, 'window'> {
  const { name, cronTZ: zone, transferProtocol, ftpHost, ftpFolder, ftpPort, ftpUser } = draft
  const place = { host: ftpHost ?? '', folder: ftpFolder ?? '', port: portOf(ftpPort), user: ftpUser ?? '' }
  return { name, zone, dueAt, transfer: transferProtocol ? { protocol: transferProtocol, ...place, password } : null }
}

function withWindow(cron: Omit<TestedCron, 'window'>, instruction: object): TestedCron {
  const { offset } = instruction as { offset?: string }
  const hasWindow = offset !== undefined && isOffset(offset)
  return { ...cron, window: hasWindow ? offsetWindow(offset, cron.dueAt.getTime(), cron.zone) : null }
}
