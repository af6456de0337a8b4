import { checkInput } from '@portico/contract/check-input'
import type { FieldProblem } from '@portico/contract/errors'
import { messages } from '@portico/contract/messages'
import { cronProblems, portOf } from '@portico/contract/scheduler/cron-problems'
import type { Cron, CronDraft } from '@portico/contract/scheduler/crons'
import {
  type ConsumerCode,
  type Instruction,
  instructionSchemas,
  instructionValue,
} from '@portico/contract/scheduler/instructions'
import { isSameName } from '@portico/domain/names'
import { schedulerMessages } from '@portico/contract/scheduler/scheduler-messages'
import { recordAudit } from '#audit'
import { withoutSecrets } from '#delivery'
import { withRoom } from '#platform/account-limits.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Database, inTransaction, isUniqueViolation } from '#platform/database.ts'
import { changedNameColumns } from '#platform/name-columns.ts'
import type { AccountContext } from '#platform/http/context.ts'
import { withReadOnlyConnection } from '#platform/reading.ts'
import type { Secrets } from '#platform/secrets.ts'
import { nextVersion, requireVersion } from '#platform/rows/versions.ts'
import type { Consumers, KeptInstruction } from '../consumers.ts'
import { insertRuns, updateRunsTerminated } from '../runs/runs.queries.ts'
import type { CronRow, Transfer } from '../tables.ts'
import { changedFields, toCron, toKeptCron } from './cron-on-wire.ts'
import { type CronSecrets, openCronSecrets, sealCronSecrets } from './cron-secrets.ts'
import { nextDueColumns, timesOfNewCron } from './cron-timing.ts'
import {
  countActiveCrons,
  type CronFilter,
  insertCron,
  selectCronCount,
  selectCronNames,
  selectCrons,
  selectNow,
  updateCronRow,
} from './crons.queries.ts'
import { consumerOf, holderForRuns, instructionOf, requireActiveCron, requireCron } from './found-cron.ts'
import { savingCallOf } from './saved-cron.ts'

export type CronDeps = { database: Database; consumers: Consumers; sealer: Secrets }

/** The caller, and the account they are in. */
export type CronContext = Pick<AccountContext, 'db' | 'account' | 'caller' | 'actor'>

type ListOptions = CronFilter & {
  sort: Parameters<typeof selectCrons>[2]['sort']
  isDescending: boolean
  limit: number
  skip: number
  hasInstructions: boolean
}

export async function listCrons(
  { db, account, caller, signal }: CronContext & Pick<AccountContext, 'signal'>,
  options: ListOptions,
): Promise<Cron[]> {
  // Instructions can have long filters, and only a limited number of lists are read at once.
  const rows = await withReadOnlyConnection(db, signal, (reader) => selectCrons(reader, account, options))
  return rows.map((row) => {
    const { instruction, ...cron } = toCron(row, caller)
    return options.hasInstructions ? { ...cron, instruction } : cron
  })
}

export async function countCrons({ db, account }: CronContext, filter: CronFilter): Promise<{ count: number }> {
  return { count: await selectCronCount(db, account, filter) }
}

/** @throws not_found */
export async function getCron(
  { db, account, caller }: CronContext,
  id: string,
  consumerCode?: ConsumerCode,
): Promise<Cron> {
  return toCron(await requireCron(db, account, id, consumerCode), caller)
}

/** The consumer that a request names in its query, its body, or both. @throws invalid_input */
export function consumerCodeOf(query: ConsumerCode | undefined, draft: CronDraft): ConsumerCode {
  const code = query ?? draft.consumerCode
  if (code === undefined) throw invalidField('consumerCode', messages.required)
  if (draft.consumerCode !== undefined && draft.consumerCode !== code)
    throw invalidField('consumerCode', messages.invalid)
  return code
}

/** Saves a new cron together with its first run. @throws limit_reached, invalid_input, invalid_filter, not_allowed */
export async function createCron(
  deps: CronDeps,
  context: CronContext,
  code: ConsumerCode,
  draft: CronDraft,
): Promise<Cron> {
  const { account, caller, actor, db } = context
  const { instruction, holder, now } = await checked(deps, context, { code, draft, kept: null })
  const kept = await consumerOf(deps.consumers, code).read(account, caller, instruction, null)
  const id = crypto.randomUUID()
  const times = timesOfNewCron(draft, now.getTime())
  const changeable = changeableColumns(deps, id, draft, kept, {})
  try {
    await withRoom(db, account, 'crons', countActiveCrons, async (tx) => {
      await insertCron(tx, account, {
        id,
        consumer: code,
        expression: draft.cron,
        zone: draft.cronTZ,
        starts: draft.cronStart,
        ends: draft.cronEnd ?? null,
        repeats: draft.cronRepeat ?? null,
        ...changeable,
        holder,
        author: caller.email,
        created_at: now,
        updated_at: now,
        ...nextDueColumns(draft, times.first),
        last_due_at: times.last === null ? null : new Date(times.last),
      })
      if (times.first !== null) {
        await insertRuns(tx, account, [{ cronId: id, consumer: code, dueAt: times.first, sequence: 1, state: 'made' }])
      }
      const details = { id, consumer: code, cron: draft.cron, zone: draft.cronTZ, ...(kept.instruction as object) }
      await recordAudit(tx, { account, ...actor, action: 'cron created', subject: draft.name, details })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? nameTaken() : error
  }
  return getCron(context, id)
}

/**
 * Changes a cron, or terminates it together with the runs that have not begun.
 * @throws not_found, cron_terminated, newer_version, invalid_input, invalid_filter, not_allowed
 */
export async function updateCron(
  deps: CronDeps,
  context: CronContext,
  id: string,
  { code, draft }: { code: ConsumerCode | undefined; draft: CronDraft },
): Promise<Cron> {
  const { account, caller, actor, db } = context
  const before = await requireCron(db, account, id, code)
  if (before.terminated_at) throw new AppError('cron_terminated')
  requireVersion(before, draft.version)
  if (draft.terminated) return terminateCron(context, id, draft.version)
  const { instruction, holder, now } = await checked(deps, context, { code: before.consumer, draft, kept: before })
  const secrets = openCronSecrets(deps.sealer, before)
  const kept = await consumerOf(deps.consumers, before.consumer).read(account, caller, instruction, {
    instruction: instructionOf(before),
    secrets: secrets.instruction,
  })
  const changeable = changeableColumns(deps, id, draft, kept, secrets)
  try {
    await inTransaction(db, async (tx) => {
      // If another request saved the cron since it was read, the secrets from that reading would replace newer ones.
      requireVersion(await requireActiveCron(tx, account, id), draft.version ?? before.version)
      const name = changedNameColumns(draft.name, before.name)
      const change = { ...changeable, ...name, holder, author: caller.email, updated_at: now }
      const after = { name: draft.name, emails: draft.notificationEmails, transfer: transferOf(draft) }
      const fields = changedFields(before, { ...after, instruction: kept.instruction, hasPassword: !!draft.ftpPass })
      await updateCronRow(tx, account, id, { ...change, ...nextVersion(before, actor, fields) })
      const details = { id, old: auditedCron(before), new: auditedCron({ ...before, ...change }) }
      await recordAudit(tx, { account, ...actor, action: 'cron changed', subject: draft.name, details })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? nameTaken() : error
  }
  return getCron(context, id)
}

async function terminateCron(context: CronContext, id: string, version: number | undefined): Promise<Cron> {
  const { account, actor, db } = context
  await inTransaction(db, async (tx) => {
    const before = await requireActiveCron(tx, account, id)
    requireVersion(before, version)
    const { name } = before
    const now = await selectNow(tx)
    const next = nextVersion(before, actor, ['terminated'])
    await updateCronRow(tx, account, id, { terminated_at: now, updated_at: now, next_due_at: null, ...next })
    await updateRunsTerminated(tx, account, id, 'the cron was terminated')
    await recordAudit(tx, { account, ...actor, action: 'cron terminated', subject: name, details: { id } })
  })
  return getCron(context, id)
}

type ToCheck = { code: ConsumerCode; draft: CronDraft; kept: CronRow | null }

/**
 * Checks a submitted cron and the rights to have its runs. Returns its instruction, and the holder whose rights it will
 * have.
 */
async function checked(
  { consumers, sealer }: CronDeps,
  { db, account, caller }: CronContext,
  { code, draft, kept }: ToCheck,
): Promise<{ instruction: Instruction; holder: string; now: Date }> {
  const now = await selectNow(db)
  // An unchanged name is not checked again: another cron of an earlier release may have an equal one.
  const isNamed = kept !== null && isSameName(draft.name, kept.name)
  const otherNames = isNamed ? [] : await selectCronNames(db, account, code, kept?.id ?? null)
  const hasPassword = kept !== null && openCronSecrets(sealer, kept).password !== undefined
  const problems = cronProblems(draft, {
    consumerCode: code,
    now: now.getTime(),
    otherNames,
    kept: kept && toKeptCron(kept, hasPassword),
  })
  refuse(problems)
  const instruction = readInstruction(code, draft)
  const consumer = consumerOf(consumers, code)
  const saving = savingCallOf(draft, code, kept?.id ?? null)
  return { instruction, holder: await holderForRuns(account, caller, consumer, { instruction, saving }), now }
}

/** Refuses a cron that has problems, with the first one as the message. @throws invalid_input */
export function refuse(problems: FieldProblem[]): void {
  const [first] = problems
  if (first) throw new AppError('invalid_input', problems, `${first.field}: ${first.message}`)
}

function readInstruction(code: ConsumerCode, draft: CronDraft): Instruction {
  const read = checkInput(instructionSchemas[code], instructionValue(draft.instruction))
  // `cronProblems` has checked the instruction with the same schema.
  if (!read.success) throw read.error
  return read.data
}

const nameTaken = (): AppError => invalidField('name', schedulerMessages.nameTaken)

/** Returns the columns of a cron that can change. */
function changeableColumns(
  { sealer }: Pick<CronDeps, 'sealer'>,
  id: string,
  draft: CronDraft,
  kept: KeptInstruction,
  before: CronSecrets,
) {
  const transfer = transferOf(draft)
  const password = draft.ftpPass || before.password
  return {
    name: draft.name,
    emails: draft.notificationEmails,
    instruction: JSON.stringify(kept.instruction),
    transfer: transfer && JSON.stringify(transfer),
    sealed_secrets: sealCronSecrets(sealer, id, {
      ...(transfer && password && { password }),
      instruction: kept.secrets,
    }),
  }
}

function transferOf({ transferProtocol, ftpHost, ftpFolder, ftpPort, ftpUser }: CronDraft): Transfer | null {
  if (!transferProtocol) return null
  // `cronProblems` requires all but the port.
  return {
    protocol: transferProtocol,
    host: ftpHost ?? '',
    folder: ftpFolder ?? '',
    port: portOf(ftpPort),
    user: ftpUser ?? '',
  }
}

/** Returns a cron for the audit log, without the secrets that an earlier release stored unencrypted. */
function auditedCron({
  name,
  emails,
  author,
  instruction,
  transfer,
}: Pick<CronRow, 'name' | 'emails' | 'author'> & {
  instruction: unknown
  transfer: unknown
}) {
  const read = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value)
  return { name, emails, author, instruction: withoutSecrets(read(instruction)), transfer: read(transfer) }
}
