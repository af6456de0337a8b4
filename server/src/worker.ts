import { runDelete, runDeleteJob, sweepAfterImport } from '#deletes'
import { deliveriesPurpose, runDelivery, runDeliveryJob, runLetterJob } from '#delivery'
import { sweepHourly } from '#downloads'
import { runRetype, runRetypeJob } from '#fields'
import { recognizeCodes } from '#contacts'
import { exportImport, runExport, runExportJob } from '#exports'
import type { AccountId } from '@portico/contract/accounts'
import {
  dropLeftTables,
  emailImportFigures,
  type FinishedImport,
  reviewImportJob,
  runImport,
  runImportJob,
  runReview,
} from '#imports'
import { runKeyComputation } from '#dedup-keys'
import { runRestore } from '#delete-undos'
import { runUndo } from '#import-undos'
import { rebuildOutdatedIndexes, reconcileIndex, reconcileIndexJob, restoreTrigramIndexes } from '#indexes'
import { openCells } from '#dashboards'
import { runReport, runReportJob } from '#reports'
import { cronsPurpose, runScheduler } from '#scheduler'
import { updateFullTextIndex, updateFullTextIndexJob } from '#search'
import { countSegmentsJob, runSegmentCounts } from '#segments'
import { sendMailLimit, sendMailLimitJob, sendSenderLink, sendSenderLinkJob } from '#senders'
import {
  sendInvitation,
  sendInvitationJob,
  sendSecurityEmail,
  sendSecurityEmailJob,
  sendPasswordLink,
  sendPasswordLinkJob,
} from '#sign-in'
import type { Db } from '#platform/database.ts'
import type { JobKind } from '#platform/jobs/jobs.ts'
import { createOutbound } from '#platform/outbound.ts'
import type { Services } from '#platform/services.ts'
import { createSecrets } from '#platform/secrets.ts'
import { completeAccounts } from './account-completion.ts'
import { createConsumers } from './consumers.ts'
import { followUp } from './follow-up.ts'
import { cleanUpHourly } from './hourly-cleanup.ts'
import { queueLostJobs } from './lost-jobs.ts'
import { checkTrigrams } from './trigram-check.ts'
import { fieldUses, fileKeys, registrations } from './registrations.ts'

/**
 * All kinds of background jobs. Every process declares them all, since a process without a worker still enqueues them.
 */
export const jobKinds: JobKind[] = [
  runImportJob,
  reviewImportJob,
  reconcileIndexJob,
  runDeleteJob,
  runRetypeJob,
  runExportJob,
  runReportJob,
  runDeliveryJob,
  runLetterJob,
  updateFullTextIndexJob,
  countSegmentsJob,
  sendInvitationJob,
  sendPasswordLinkJob,
  sendSecurityEmailJob,
  sendSenderLinkJob,
  sendMailLimitJob,
]

/** Starts running jobs. */
export async function startWorker(parts: Services): Promise<void> {
  const { config, database, jobs } = parts
  const sealer = createSecrets(config.secretKey, deliveriesPurpose)
  const deliveryDeps = { ...parts, sealer, outbound: createOutbound(config.outboundAllow) }
  await startImports(parts, sealer)
  await jobs.work(reconcileIndexJob, ({ account, indexId }, signal, attempt) =>
    reconcileIndex(parts, account, indexId, signal, attempt),
  )
  await jobs.work(runDeleteJob, ({ account, deleteId }, signal) => runDelete(parts, account, deleteId, signal))
  await startRetypes(parts)
  await jobs.work(runExportJob, ({ account, exportId }, signal, attempt) =>
    runExport(parts, account, exportId, signal, attempt),
  )
  const reportDeps = { ...parts, cells: openCells(database) }
  await jobs.work(runReportJob, ({ account, reportId }, signal, attempt) =>
    runReport(reportDeps, account, reportId, signal, attempt),
  )
  await jobs.work(runDeliveryJob, ({ account, deliveryId }, signal, attempt) =>
    runDelivery(deliveryDeps, account, deliveryId, signal, attempt),
  )
  await jobs.work(runLetterJob, ({ account, deliveryId }, signal, attempt) =>
    runDelivery(deliveryDeps, account, deliveryId, signal, attempt),
  )
  await jobs.work(updateFullTextIndexJob, ({ account }) => updateFullTextIndex(database.db, account))
  await jobs.work(countSegmentsJob, ({ account, ...night }, signal, attempt) =>
    runSegmentCounts(parts, account, night, signal, { attempt }),
  )
  await jobs.work(sendInvitationJob, (data) => sendInvitation(parts, data))
  await jobs.work(sendPasswordLinkJob, (data) => sendPasswordLink(parts, data))
  await jobs.work(sendSecurityEmailJob, (data) => sendSecurityEmail(parts, data))
  await jobs.work(sendSenderLinkJob, (data) => sendSenderLink(parts, data))
  await jobs.work(sendMailLimitJob, (data) => sendMailLimit(parts, data))
  const scheduler = {
    ...parts,
    consumers: createConsumers(parts),
    sealer: createSecrets(config.secretKey, cronsPurpose),
  }
  jobs.keepRunning((signal) => runScheduler(scheduler, signal))
  queueLostJobs(parts, jobKinds)
  checkTrigrams(parts)
  sweepHourly(parts, registrations, fileKeys)
  completeAccounts(parts)
  cleanUpHourly(parts)
}

async function startImports(parts: Services, sealer: ReturnType<typeof createSecrets>): Promise<void> {
  const { config, database, storage, log, jobs } = parts
  const importDeps = {
    database,
    storage,
    log,
    // Imports do not import exports; the two are composed here.
    onCompleted: async (account: AccountId, row: FinishedImport) => {
      await exportImport({ database, jobs, sealer }, account, row)
      await emailImportFigures({ db: database.db, jobs, config }, account, row)
    },
    onRejected: (tx: Db, account: AccountId, row: FinishedImport) =>
      emailImportFigures({ db: tx, jobs, config }, account, row),
  }
  await jobs.work(runImportJob, async (job, signal, attempt) => {
    const { account } = job
    if ('restoredDelete' in job) await runRestore(parts, account, job.restoredDelete, signal)
    else if ('computesKeys' in job) await runKeyComputation(parts, account, job.computesKeys, signal)
    else if (job.undoes) await runUndo({ ...parts, uses: fieldUses }, account, job.importId, signal)
    else await runImport(importDeps, account, job.importId, signal, attempt)
    // Indexes and deletes do not import imports either. Runs after every outcome, before the account's next import.
    await followUp(log, attempt, [
      () => sweepAfterImport(database.db, account),
      () => rebuildOutdatedIndexes({ db: database.db, jobs }, account),
      () => restoreTrigramIndexes({ db: database.db, jobs }, account),
      () => dropLeftTables(database.db, account),
    ])
  })
  await jobs.work(reviewImportJob, ({ account, reviewId }, signal, attempt) =>
    runReview(parts, account, reviewId, signal, attempt),
  )
}

async function startRetypes(parts: Services): Promise<void> {
  const { jobs, database, log } = parts
  await jobs.work(runRetypeJob, async ({ account, retypeId }, signal, attempt) => {
    await runRetype(parts, account, retypeId, signal, attempt)
    await followUp(log, attempt, [
      () => recognizeCodes(database.db, account),
      () => rebuildOutdatedIndexes({ db: database.db, jobs }, account),
      () => restoreTrigramIndexes({ db: database.db, jobs }, account),
    ])
  })
}
