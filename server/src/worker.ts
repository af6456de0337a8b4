import { exportImport, runExport, runExportJob } from '#exports'
import type { AccountId } from '@portico/contract/identity'
import { type FinishedImport, runImport, runImportJob } from '#imports'
import type { JobKind } from '#platform/jobs.ts'
import type { PortalParts } from '#platform/parts.ts'

/** Every kind of background work. Each process knows them all: whoever cannot run a job can still put it in line. */
export const jobKinds: JobKind[] = [runImportJob, runExportJob]

/** Starts taking jobs. */
export async function startWorker(parts: PortalParts): Promise<void> {
  const { database, storage, log, jobs } = parts
  const importDeps = {
    database,
    storage,
    log,
    // Imports know nothing of exports; they meet here.
    onCompleted: (account: AccountId, row: FinishedImport) => exportImport({ db: database.db, jobs }, account, row),
  }
  await jobs.work(runImportJob, ({ account, importId }, signal) => runImport(importDeps, account, importId, signal))
  await jobs.work(runExportJob, ({ account, exportId }, signal) => runExport(parts, account, exportId, signal))
}
