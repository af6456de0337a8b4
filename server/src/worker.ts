import { runDelete, runDeleteJob, sweepAfterImport } from '#deletes'
import { deliveriesPurpose, runDelivery, runDeliveryJob } from '#delivery'
import { sweepHourly } from '#downloads'
import { exportImport, runExport, runExportJob } from '#exports'
import type { AccountId } from '@portico/contract/identity'
import { type FinishedImport, mailImportFigures, runImport, runImportJob } from '#imports'
import { rebuildOutdatedIndexes, settleIndex, settleIndexJob } from '#indexes'
import { indexWords, indexWordsJob } from '#search'
import {
  sendInvitation,
  sendInvitationJob,
  sendSecurityEmail,
  sendSecurityEmailJob,
  sendPasswordLink,
  sendPasswordLinkJob,
} from '#sign-in'
import type { JobKind } from '#platform/jobs.ts'
import { createOutbound } from '#platform/outbound.ts'
import type { Services } from '#platform/services.ts'
import { createSecrets } from '#platform/secrets.ts'

/** Every kind of background work. Each process knows them all: whoever cannot run a job can still put it in line. */
export const jobKinds: JobKind[] = [
  runImportJob,
  settleIndexJob,
  runDeleteJob,
  runExportJob,
  runDeliveryJob,
  indexWordsJob,
  sendInvitationJob,
  sendPasswordLinkJob,
  sendSecurityEmailJob,
]

/** Starts taking jobs. */
export async function startWorker(parts: Services): Promise<void> {
  const { config, database, storage, log, jobs } = parts
  const sealer = createSecrets(config.secretKey, deliveriesPurpose)
  const deliveryDeps = { ...parts, sealer, outbound: createOutbound(config.outboundAllow) }
  const importDeps = {
    database,
    storage,
    log,
    // Imports know nothing of exports; they meet here.
    onCompleted: async (account: AccountId, row: FinishedImport) => {
      await exportImport({ db: database.db, jobs, sealer }, account, row)
      await mailImportFigures({ db: database.db, jobs, config }, account, row)
    },
  }
  await jobs.work(runImportJob, async ({ account, importId }, signal) => {
    await runImport(importDeps, account, importId, signal)
    // Neither do they know of indexes and deletes. Done however the import ended, and before the account's next one.
    await sweepAfterImport(database.db, account)
    await rebuildOutdatedIndexes({ db: database.db, jobs }, account)
  })
  await jobs.work(settleIndexJob, ({ account, indexId }, signal) => settleIndex(parts, account, indexId, signal))
  await jobs.work(runDeleteJob, ({ account, deleteId }, signal) => runDelete(parts, account, deleteId, signal))
  await jobs.work(runExportJob, ({ account, exportId }, signal) => runExport(parts, account, exportId, signal))
  await jobs.work(runDeliveryJob, ({ account, deliveryId }, signal) =>
    runDelivery(deliveryDeps, account, deliveryId, signal),
  )
  await jobs.work(indexWordsJob, ({ account }) => indexWords(database.db, account))
  await jobs.work(sendInvitationJob, (data) => sendInvitation(parts, data))
  await jobs.work(sendPasswordLinkJob, (data) => sendPasswordLink(parts, data))
  await jobs.work(sendSecurityEmailJob, (data) => sendSecurityEmail(parts, data))
  sweepHourly(parts)
}
