import type { AccountId } from '@portico/contract/accounts'
import { exportsApi, type ExportDraft } from '@portico/contract/exports'
import { FilledNotification, type Notification } from '@portico/contract/notifications'
import { type ExportInstruction, judgedInstruction } from '@portico/contract/scheduler/instructions'
import type { Stages } from '@portico/contract/filter'
import { offsetWindow } from '@portico/domain/scheduler/offset-window'
import type { OffsetWindow } from '@portico/domain/scheduler/window-condition'
import { wallTimeOf } from '@portico/domain/scheduler/zone-offsets'
import { messages } from '@portico/contract/messages'
import {
  deliveriesOf,
  type DeliveryChange,
  type DeliverySecrets,
  keptSecrets,
  requireSenders,
  splitSecrets,
  targetOf,
  withSecrets,
} from '#delivery'
import { downloadCall } from '#files'
import type { SenderSettings } from '#senders'
import type { Consumer, JobState, KeptInstruction, StartedRun } from '#scheduler'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Database, Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { readProgress } from '#platform/jobs/file-attempt.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Secrets } from '#platform/secrets.ts'
import { ruleOf } from '#platform/storage.ts'
import { expandSaved, type FilterUse, readableWholes } from '#saved-filters'
import { listExportDeliveries, resendExport } from './export-deliveries.service.ts'
import { endingOf, isExpired } from './export-names.ts'
import { underFreeName, withEnd } from './free-name.ts'
import { exportCall, filterUse } from './export-rights.ts'
import { readStages } from './export-stages.service.ts'
import { checkDraft, insertChecked, ofVisible } from './exports.service.ts'
import { selectExports } from './exports.queries.ts'
import { type DateField, placeable, type Placeable, windowStages } from './window-stages.ts'
import { requireDateField, writtenOut } from './written-out.ts'

type Deps = { database: Database; jobs: Jobs; sealer: Secrets; config: SenderSettings }

/** Scheduled exports: each run is an export like one requested by the cron's author. */
export function exportConsumer(deps: Deps): Consumer<ExportInstruction> {
  const { db } = deps.database
  return {
    code: 'EXPORT',
    job: 'export',
    label: 'scheduled export',
    listPath: '/contact-service/exports',
    parse: (instruction) => {
      if (!('exportFields' in instruction)) throw new Error('This is not the instruction of an export.')
      return instruction
    },
    read: async (account, caller, instruction, before) => {
      await requireSenders(db, deps.config, account, instruction.notifications ?? [], 'instruction.notifications')
      return readInstruction(deps.database, { account, caller }, instruction, before)
    },
    writtenOut: (account, instruction) => writtenOut(db, account, instruction),
    refusal: (account, caller, instruction) => refusalOf(deps.database, account, caller, instruction),
    start: (tx, account, run) => startExport(deps, tx, account, run),
    states: (reader, account, ids) => statesOf(reader, account, ids, deps.config),
    deliveries: (account, id) => listExportDeliveries(db, account, id),
    target: (present) => {
      const [notification] = notificationsOf(present.kept)
      return notification ? targetOf(notification) : null
    },
    resend: (tx, account, by, { jobId, deliveryId }, present) => {
      const of = (): Promise<DeliveryChange | null> => {
        const [notification] = notificationsOf(present.kept)
        return Promise.resolve(notification ? splitSecrets(notification) : null)
      }
      const delivery = { exportId: jobId, deliveryId }
      const change = { of, sealer: deps.sealer, holder: present.holder, saving: present.saving }
      return resendExport({ db: tx, jobs: deps.jobs }, account, by, delivery, change)
    },
  }
}

/** Conditions of policies are checked as if the export were requested now. */
const requestOf = (instruction: ExportInstruction) => ({ params: {}, query: {}, body: judgedInstruction(instruction) })

async function refusalOf(
  { db, pool }: Database,
  account: AccountId,
  caller: Caller,
  instruction: ExportInstruction,
): Promise<{ reason: string } | null> {
  const asked = [instruction, await writtenOut(db, account, instruction)]
  if (!asked.every((each) => caller.can(exportsApi.createExport.access, requestOf(each)))) {
    return { reason: `${caller.email} may not export contacts (${exportsApi.createExport.access}).` }
  }
  try {
    await expandSaved(
      db,
      filterUse(pool, account, caller, instruction),
      readStages(instruction.aggregateQuery?.trim() || null),
    )
    return null
  } catch (error) {
    // Other errors of the filter are reported when it is read.
    if (error instanceof AppError && error.code === 'not_allowed') return { reason: error.message }
    if (error instanceof AppError) return null
    throw error
  }
}

/** The secrets that `readInstruction` wrote, by the position of their notification. */
const secretsOf = ({ secrets }: KeptInstruction): DeliverySecrets[] => (Array.isArray(secrets) ? secrets : [])

async function readInstruction(
  { db, pool }: Database,
  { account, caller }: { account: AccountId; caller: Caller },
  instruction: ExportInstruction,
  before: KeptInstruction<ExportInstruction> | null,
): Promise<KeptInstruction<ExportInstruction>> {
  const parts = (instruction.notifications ?? []).map((notification) => splitSecrets(notification))
  const secrets = parts.map(({ settings, secrets: given }, index) => {
    const kept = before?.instruction.notifications?.[index]
    const known = (before && secretsOf(before)[index]) ?? {}
    const filled = keptSecrets(settings, given, kept ? { settings: kept, secrets: known } : null)
    if (filled.missing) throw invalidField(`instruction.notifications.${index}.${filled.missing}`, messages.required)
    return filled.secrets
  })
  await inInstruction(async () => {
    const date = await requireDateField(db, account, instruction.dateField)
    // The day is irrelevant: the window only has to compile.
    const window = instruction.offset === undefined ? null : offsetWindow(instruction.offset, Date.now(), 'UTC')
    const use = filterUse(pool, account, caller, instruction)
    const draft = await draftOf(db, use, instruction, [], window && { ...window, date })
    await checkDraft(db, { account, rows: null }, draft, use)
  })
  const notifications = instruction.notifications && { notifications: parts.map(({ settings }) => settings) }
  return { instruction: { ...instruction, ...notifications }, secrets: secrets.length > 0 ? secrets : null }
}

/** Renames fields in errors as they are named in a cron. */
async function inInstruction(check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_input' || !Array.isArray(error.details)) throw error
    const problems = (error.details as { field: string; message: string }[]).map(({ field, message }) => ({
      field: `instruction.${field}`,
      message,
    }))
    throw new AppError('invalid_input', problems, error.message)
  }
}

/** @throws invalid_filter, not_allowed for a saved filter, when there is a window */
async function draftOf(
  db: Db,
  use: FilterUse,
  instruction: ExportInstruction,
  notifications: readonly Notification[],
  window: (OffsetWindow & { date: DateField }) | null,
): Promise<ExportDraft> {
  const { name, delimiter, shouldZip, byteOrderMark, exportFields, aggregateQuery } = instruction
  const stages = readStages(aggregateQuery || null)
  const narrowed = window
    ? windowStages(await placeableFor(db, use, stages), exportFields, window, window.date)
    : stages
  return {
    name,
    delimiter,
    shouldZip,
    byteOrderMark,
    exportFields,
    aggregateQuery: narrowed.length === 0 ? undefined : JSON.stringify(narrowed),
    notifications: notifications.map((notification) => FilledNotification.parse(notification)),
  }
}

/** @throws not_allowed for a saved filter */
async function placeableFor(db: Db, use: FilterUse, stages: Stages): Promise<Placeable> {
  const { stages: expanded } = await expandSaved(db, use, stages)
  return placeable(stages, expanded, () => readableWholes(db, use.account, stages))
}

async function startExport(
  { database, jobs, sealer }: Deps,
  tx: Db,
  account: AccountId,
  run: StartedRun<ExportInstruction>,
): Promise<string> {
  const { instruction } = run.kept
  const notifications = notificationsOf(run.kept)
  const { window } = run
  const date = window && (await requireDateField(database.db, account, instruction.dateField))
  const use = filterUse(database.pool, account, run.caller, instruction)
  const narrowed = await draftOf(database.db, use, instruction, notifications, window && date && { ...window, date })
  // Checked with its window, as at every later use.
  const asked = { ...instruction, aggregateQuery: narrowed.aggregateQuery }
  const rows = run.caller.rows(exportsApi.createExport, requestOf(asked))
  const draft = ofVisible(narrowed, rows)
  const selection = await checkDraft(database.db, { account, rows }, draft, use)
  const by = { actor: run.caller.email, address: null, via: { kind: 'cron' as const, name: run.name } }
  const actsAs = { ...exportCall(account, asked), holder: run.caller.holder, ...ruleOf(rows), cron: run.saving }
  return underFreeName(tx, account, nameOf(draft.name, run), async (name) => {
    const { id } = await insertChecked({ tx, jobs, sealer }, account, by, { ...draft, name }, { selection, actsAs })
    return id
  })
}

/** The notifications of a cron with their secrets. */
function notificationsOf(kept: KeptInstruction<ExportInstruction>): Notification[] {
  const secrets = secretsOf(kept)
  const { notifications = [] } = kept.instruction
  return notifications.map((settings, index) => withSecrets(settings, secrets[index] ?? {}))
}

/** '{name} 2026-12-01 09:30', in the zone of the cron; with seconds when it was started by hand. */
function nameOf(name: string, { dueAt, zone, isRunNow }: StartedRun): string {
  const time = new Date(wallTimeOf(zone, dueAt.getTime())).toISOString().replace('T', ' ')
  return withEnd(name, ` ${time.slice(0, isRunNow ? 19 : 16)}`)
}

async function statesOf(
  db: Db,
  account: AccountId,
  ids: readonly string[],
  config: Deps['config'],
): Promise<Map<string, JobState>> {
  const rows = await selectExports(db, account, ids)
  const deliveries = await deliveriesOf(db, account, 'export', ids)
  return new Map(
    rows.map((row) => {
      const hasFile = row.status === 'completed' && row.file_key !== null && !isExpired(row)
      return [
        row.id,
        {
          ...readProgress(row),
          name: row.name,
          fileUrl: hasFile ? downloadCall(config, `${row.id}${endingOf(row)}`) : null,
          deliveries: deliveries.get(row.id) ?? [],
        },
      ]
    }),
  )
}
