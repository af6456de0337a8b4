import type { AccountId } from '@portico/contract/accounts'
import { fileDays } from '@portico/contract/downloads'
import { reportedCells } from '@portico/contract/dashboards/reported-cells'
import { type BiInstruction, dashboardIdOf } from '@portico/contract/scheduler/instructions'
import { recordAudit } from '#audit'
import { requireDashboard, storedDefinition } from '#dashboards'
import { deliveriesOf, type DeliveryRow, listDeliveries, planDeliveries, resendDelivery } from '#delivery'
import { downloadCall } from '#files'
import { requireSender, type SenderSettings } from '#senders'
import { type Consumer, type JobState, runDeliversAgain, type StartedRun } from '#scheduler'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Config } from '#platform/config.ts'
import type { Database, Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { readProgress } from '#platform/jobs/file-attempt.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { Secrets } from '#platform/secrets.ts'
import {
  datedName,
  deliveryNow,
  downloadsUrl,
  emailTo,
  remoteNameOf,
  targetFor,
  uploadTo,
} from './report-destinations.ts'
import { namedFilter } from './named-filter.ts'
import { endingOf } from './report-names.ts'
import { instructionRefusal, viewerOf, visibleIn } from './report-rights.service.ts'
import { goneCells, noReportedCells, unknownCell } from './report-tables.ts'
import { runReportJob } from './reports.jobs.ts'
import { insertReport, selectReports } from './reports.queries.ts'
import type { ReportRow, ReportSettings } from './tables.ts'

type Deps = { database: Database; jobs: Jobs; sealer: Secrets; config: SenderSettings & Pick<Config, 'publicUrl'> }

/** Scheduled reports: the cells of a dashboard as files. */
export function reportConsumer(deps: Deps): Consumer<BiInstruction> {
  const { db } = deps.database
  return {
    code: 'BI',
    job: 'report',
    label: 'scheduled report',
    listPath: '/contact-service/dashboards',
    parse: (instruction) => {
      // A test of one part may lack all the others.
      if ('exportFields' in instruction) throw new Error('This is not the instruction of a report.')
      return instruction
    },
    read: async (account, caller, instruction, before) => {
      const { rdl, notification } = instruction
      await requireReportedCells(db, account, caller, instruction, before && before.instruction)
      await requireSavedFilter(db, account, rdl ?? null)
      if (notification?.from) {
        await requireSender(db, deps.config, account, { ...notification, field: 'instruction.notification' })
      }
      return { instruction, secrets: null }
    },
    // An instruction names a dashboard and a saved filter and has no stages; its cells are checked where they are read.
    writtenOut: (_account, instruction) => Promise.resolve(instruction),
    refusal: (account, caller, instruction) => instructionRefusal(deps.database, account, caller, instruction),
    start: (tx, account, run) => startReport(deps, tx, account, run),
    states: (tx, account, ids) => statesOf(tx, account, ids, deps.config),
    deliveries: (account, id) => listDeliveries(db, account, { kind: 'report', id }),
    target: targetFor,
    resend: async (tx, account, by, { jobId, deliveryId }, present) => {
      const [report] = await selectReports(tx, account, [jobId])
      if (!report) throw new AppError('not_found')
      const of = (row: DeliveryRow) =>
        Promise.resolve(deliveryNow(report, row, present, downloadsUrl(deps.config, account)))
      const delivery = { subject: { kind: 'report' as const, id: jobId }, id: deliveryId }
      return resendDelivery({ db: tx, jobs: deps.jobs }, account, by, delivery, {
        change: { of, sealer: deps.sealer, holder: present.holder, saving: present.saving },
        also: (tx) => runDeliversAgain(tx, account, 'BI', jobId),
      })
    },
  }
}

async function requireSavedFilter(db: Db, account: AccountId, id: string | null): Promise<void> {
  await namedFilter(db, account, id).catch((error: unknown) => {
    throw error instanceof AppError ? invalidField('instruction.rdl', error.message) : error
  })
}

/**
 * Refuses a dashboard that has only figures and texts, which would fail at every run, and cells that it does not have.
 * A changed cron may keep cells that have since been removed.
 */
async function requireReportedCells(
  db: Db,
  account: AccountId,
  caller: Caller,
  { url, cells: chosen = [] }: BiInstruction,
  before: BiInstruction | null,
): Promise<void> {
  const added = before ? chosen.filter((id) => !before.cells?.includes(id)) : chosen
  if (before && added.length === 0) return
  const dashboard = await requireDashboard(db, viewerOf(account, caller), dashboardIdOf(url) ?? '')
  const cells = reportedCells(storedDefinition(dashboard))
  if (cells.length === 0) throw invalidField('instruction.url', noReportedCells)
  const [unknown] = goneCells(cells, added)
  if (unknown !== undefined) throw invalidField('instruction.cells', unknownCell(unknown))
}

async function startReport(
  { jobs, sealer }: Deps,
  tx: Db,
  account: AccountId,
  run: StartedRun<BiInstruction>,
): Promise<string> {
  const { download, notification, url, rdl, cells } = run.kept.instruction
  const ending = endingOf(download)
  const settings: ReportSettings = {
    dashboard: dashboardIdOf(url) ?? '',
    savedFilter: rdl ?? null,
    ...(cells && { cells }),
    window: run.window,
    holder: run.caller.holder,
    cron: run.saving,
    rows: visibleIn(run.caller, dashboardIdOf(url) ?? ''),
    download,
    remoteName: remoteNameOf(download, run, ending),
    email: notification ? emailTo(notification, run) : null,
  }
  const row = await insertReport(tx, account, {
    name: run.name,
    creator: run.caller.email,
    created_at: new Date(),
    status: 'waiting',
    settings: JSON.stringify(settings),
    file_name: `${datedName(download, run)}${ending}`,
  })
  const subject = { kind: 'report' as const, id: row.id }
  if (run.transfer) await planDeliveries(tx, sealer, account, subject, [uploadTo(run.transfer)])
  await jobs.enqueue(tx, runReportJob, { account, reportId: row.id }, { person: run.caller.email })
  const details = { id: row.id, dashboard: settings.dashboard }
  const by = { actor: run.caller.email, address: null, via: { kind: 'cron' as const, name: run.name } }
  await recordAudit(tx, { account, ...by, action: 'report created', subject: row.name, details })
  return row.id
}

async function statesOf(
  db: Db,
  account: AccountId,
  ids: readonly string[],
  config: Deps['config'],
): Promise<Map<string, JobState>> {
  const rows = await selectReports(db, account, ids)
  const deliveries = await deliveriesOf(db, account, 'report', ids)
  return new Map(rows.map((row) => [row.id, stateOf(row, deliveries.get(row.id) ?? [], config)]))
}

function stateOf(row: ReportRow, deliveries: JobState['deliveries'], config: Deps['config']): JobState {
  const completedAt = row.last_activity_at ?? row.created_at
  const isKept = row.file_removed_at === null && Date.now() < completedAt.getTime() + fileDays * 86_400_000
  return {
    ...readProgress(row),
    name: row.name,
    fileUrl: row.status === 'completed' && isKept ? downloadCall(config, `files/report-${row.id}`) : null,
    deliveries,
  }
}
