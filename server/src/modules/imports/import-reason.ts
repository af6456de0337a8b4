import type { AccountId } from '@portico/contract/accounts'
import { describeBrokenIndex, withoutExample } from '#indexes'
import { AppError } from '#platform/app-error.ts'
import { isServerAway } from '#platform/citus/server-away.ts'
import { type Db, isDatabaseAway, isDiskFull, isOutOfResources, isPortalFault } from '#platform/database.ts'
import { type FailureReason, systemFailureReason } from '#platform/jobs/job-runs.ts'
import { FileMissing } from '#platform/storage.ts'
import type { ImportRow } from './imports.queries.ts'
import { withoutMisfitValue } from './reading/misfit-cells.ts'
import { FileRefused } from './reading/source-text-refused.ts'

/** Starts the part of a reason that comes from the database, and may contain values. */
const detailsStart = ' Details: '

/** Failures caused by the file or the settings are final. */
export async function explain(
  db: Db,
  account: AccountId,
  row: Pick<ImportRow, 'file_path'>,
  error: unknown,
): Promise<FailureReason> {
  if (error instanceof FileRefused) return { reason: error.message, isFinal: true }
  if (error instanceof FileMissing) {
    return { reason: `The uploaded file "${row.file_path}" no longer exists. Upload it again.`, isFinal: true }
  }
  if (error instanceof AppError && error.code === 'storage_full') return { reason: noRoom(error), isFinal: true }
  const brokenIndex = await describeBrokenIndex(db, account, error)
  return brokenIndex ? { reason: brokenIndex, isFinal: true } : { reason: reasonOf(error), isFinal: false }
}

/** Reports are complete before anything is loaded. */
const noRoom = ({ message }: AppError): string =>
  `The rows that were set aside need more room than the account's files have left. ${message} Nothing was imported: correct the file, or make room, and import it again.`

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  if (isDiskFull(error) || isDatabaseAway(error) || isServerAway(error)) return systemFailureReason(error)
  return `${describeFailure(error)}${detailsStart}${text}`
}

function describeFailure(error: unknown): string {
  if (isOutOfResources(error)) return 'The database is out of memory.'
  return isPortalFault(error) ? 'An error in the portal stopped the import.' : 'The import was interrupted.'
}

/**
 * Returns a reason without values of contacts, for emails: recipients may be people who see only some contacts, or
 * none. The list of imports shows the whole reason to users who see all contacts.
 */
export function withoutValues(reason: string): string {
  return withoutMisfitValue(withoutStoredValues(reason))
}

/** Returns a reason without values of contacts, for those who have uploaded the file: it keeps values of the file. */
export function withoutStoredValues(reason: string): string {
  const at = reason.indexOf(detailsStart)
  return withoutExample(at === -1 ? reason : reason.slice(0, at))
}
