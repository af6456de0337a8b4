import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { auditApi, type AuditEntry, type AuditFilter as WireFilter, type AuditQuery } from '@portico/contract/audit'
import type { AccountId } from '@portico/contract/accounts'
import type { Actor } from '#platform/actor.ts'
import { AppError } from '#platform/app-error.ts'
import { withReadOnlyConnection } from '#platform/reading.ts'
import type { Database, Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import { grantOf, type Storage } from '#platform/storage.ts'
import { passingOn } from '#platform/waits/reading-limits.ts'
import { storeWritten } from '#platform/files/stored-file.ts'
import { auditCsv } from './audit-csv.ts'
import { type AuditFilter, type AuditRow, copyAuditLog, countAuditLog, selectAuditLog } from './audit-log.queries.ts'
import { recordAudit } from './audit.queries.ts'

/** The caller, and the account they are in. */
export type Reader = { caller: Caller; account: AccountId; actor: Actor }

const linkSeconds = 600

/**
 * Lines of the log, newest first, or their number.
 * @throws not_allowed for all accounts, unless the caller is a power admin
 */
export async function listAudit(
  db: Db,
  reader: Reader,
  { limit, skip, count, ...wanted }: AuditQuery,
): Promise<AuditEntry[] | { count: number }> {
  const [account, filter] = [readableAccount(reader, wanted), filterOf(wanted)]
  if (count !== undefined) return { count: await countAuditLog(db, account, filter) }
  // Details can contain long filters, so only a limited number is read at once.
  const rows = await withReadOnlyConnection(db, undefined, (reading) =>
    selectAuditLog(reading, account, filter, { limit, skip }),
  )
  return rows.map(toEntry)
}

/**
 * Streams the lines as a CSV file from the database into the storage under `key`, and returns a link to it that is
 * valid for ten minutes. If that fails or the client disconnects, no file is left behind.
 * @throws not_allowed for all accounts, unless the caller is a power admin
 */
export async function exportAudit(
  { database, storage, key }: { database: Database; storage: Storage; key: string },
  reader: Reader,
  wanted: WireFilter,
  signal: AbortSignal,
): Promise<{ url: string }> {
  const account = readableAccount(reader, wanted)
  const lines = await passingOn(() =>
    copyAuditLog(database, account, filterOf(wanted), (csv) => storeLines(csv, { storage, key }, signal)),
  )
  await recordAudit(database.db, {
    account,
    ...reader.actor,
    action: 'audit log exported',
    subject: account === null ? 'all accounts' : 'this account',
    details: { lines, ...wanted },
  })
  const url = await storage.downloadUrl(key, {
    expiresInSeconds: linkSeconds,
    contentType: 'text/csv; charset=utf-8',
    downloadName: 'audit-log.csv',
    grant: grantOf(reader, account === null ? everywhereRight : auditApi.exportAudit),
  })
  return { url }
}

async function storeLines(
  lines: Readable,
  { storage, key }: { storage: Storage; key: string },
  signal: AbortSignal,
): Promise<void> {
  const options = { contentType: 'text/csv; charset=utf-8', signal }
  await storeWritten(storage, key, (file) => pipeline(lines, auditCsv, file, { signal }), options)
}

/** Entries without an account, and those of all accounts, are for power admins. */
const everywhereRight = { ...auditApi.listAudit, access: 'power-admin' } as const

/** The account whose log is read; null for all accounts. */
function readableAccount(
  { caller, account }: Reader,
  { everywhere }: Pick<WireFilter, 'everywhere'>,
): AccountId | null {
  if (everywhere !== 'true') return account
  if (!caller.refusal(everywhereRight, { params: {}, query: { everywhere }, body: {} })) return null
  throw new AppError('not_allowed', { needs: 'power-admin' }, 'Only power admins can read the log of all accounts.')
}

function filterOf({ who, what, via, from, to }: WireFilter): AuditFilter {
  return {
    who: who?.trim() || null,
    what: what?.trim() || null,
    via: via ?? null,
    from: from === undefined ? null : new Date(from),
    to: to === undefined ? null : new Date(to),
  }
}

function toEntry({ id, at, ...row }: AuditRow): AuditEntry {
  return { _id: id, at: at.toISOString(), ...row }
}
