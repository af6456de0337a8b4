import type { AccountId } from '@portico/contract/accounts'
import type { Action } from '@portico/contract/route'
import type { DeliveryStatus } from '@portico/contract/notifications'
import { type Generated, type Insertable, type JSONColumnType, type Selectable, sql, type Updateable } from 'kysely'
import type { ActsAs } from '#credentials'
import { type Db, inAccount } from '#platform/database.ts'
import type { JobTable } from '#platform/jobs/job-rows.ts'
import type { DeliverySettings } from './delivery-secrets.ts'

/** A job whose end is announced or whose file is delivered, or a run of a cron that needs attention. */
export type Subject = { kind: 'export' | 'import' | 'report' | 'schedule'; id: string }

/** The finished file, with the properties that placeholders and transfers need. */
export type DeliveredFile = {
  name: string
  /**
   * The file is sent, and links to it work, as long as this right holds: the right of `actsAs`, or that of the person
   * in files of earlier releases. Missing if the file names no one.
   */
  maker?: { email: string; access: Action; actsAs?: ActsAs }
  fileName: string
  /** Replaces an older file of the name at an SFTP server. Otherwise, nothing on the server is replaced. */
  replaces?: boolean
  storageKey: string
  contentType: string
  records: number
  sizeBytes: number
  /** ISO 8601. */
  completedAt: string
  expiresAt: string
}

type DeliveryTrigger = 'job' | 'resend'

type DeliveryTable = {
  id: string
  subject_kind: Subject['kind']
  subject_id: string
  position: number
  kind: 'email' | 'http' | 'sftp'
  settings: JSONColumnType<DeliverySettings>
  sealed_secrets: string | null
  file: JSONColumnType<DeliveredFile> | null
  status: DeliveryStatus
  asked_by: DeliveryTrigger
  recovery_count: Generated<number>
  attempt_count: Generated<number>
  result: string | null
  next_attempt_at: Date | null
  created_at: Date
  /** The name that an attempt has chosen on an SFTP server. */
  remote_name: string | null
}
type AttemptTable = {
  delivery_id: string
  number: number
  asked_by: DeliveryTrigger
  started_at: Date
  ended_at: Date | null
  is_ok: boolean | null
  result: string | null
}
type Tables = { deliveries: DeliveryTable; delivery_attempts: AttemptTable }
export const deliveryJobs: JobTable<DeliveryTable, 'id' | 'status' | 'attempt_count'> = {
  name: 'deliveries',
  seen: ['id', 'status', 'attempt_count'],
}

export type DeliveryRow = Selectable<DeliveryTable>
export type DeliveryColumns = Updateable<DeliveryTable>
export type AttemptRow = Selectable<AttemptTable>

/** Returns false when this delivery of the subject already existed. */
export async function insertDelivery(db: Db, account: AccountId, row: Insertable<DeliveryTable>): Promise<boolean> {
  const inserted = await inAccount<Tables>(db, account)
    .insertInto('deliveries')
    .values(row)
    .onConflict((conflict) => conflict.columns(['subject_kind', 'subject_id', 'position']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function selectDelivery(db: Db, account: AccountId, id: string): Promise<DeliveryRow | undefined> {
  return inAccount<Tables>(db, account).selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The file with this key that a delivery sends; found by the key alone for a link that does not name its delivery. */
export async function selectDeliveredFile(
  db: Db,
  account: AccountId,
  { delivery, key }: { delivery: string | null; key: string },
): Promise<DeliveredFile | null> {
  const row = await inAccount<Tables>(db, account)
    .selectFrom('deliveries')
    .select('file')
    .where(sql<boolean>`file ->> 'storageKey' = ${key}`)
    .$if(delivery !== null, (query) => query.where('id', '=', delivery))
    .limit(1)
    .executeTakeFirst()
  return row?.file ?? null
}

/** Returns the deliveries of several subjects of one kind, ordered by subject and position. */
export async function selectDeliveries(
  db: Db,
  account: AccountId,
  kind: Subject['kind'],
  subjectIds: readonly string[],
): Promise<DeliveryRow[]> {
  if (subjectIds.length === 0) return []
  return inAccount<Tables>(db, account)
    .selectFrom('deliveries')
    .selectAll()
    .where('subject_kind', '=', kind)
    .where('subject_id', 'in', [...subjectIds])
    .orderBy('subject_id')
    .orderBy('position')
    .execute()
}

/** Returns every finished attempt, oldest first. */
export async function selectAttempts(db: Db, account: AccountId, ids: readonly string[]): Promise<AttemptRow[]> {
  if (ids.length === 0) return []
  return inAccount<Tables>(db, account)
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('delivery_id', 'in', [...ids])
    .where('ended_at', 'is not', null)
    .orderBy('delivery_id')
    .orderBy('number')
    .execute()
}

/** Stores the name that an upload is about to get on the server. */
export async function updateRemoteName(db: Db, account: AccountId, id: string, name: string): Promise<void> {
  await inAccount<Tables>(db, account)
    .updateTable('deliveries')
    .set({ remote_name: name })
    .where('id', '=', id)
    .execute()
}

/** Attaches the finished file to the deliveries that wait for it, and returns these. */
export async function updateFileReady(
  db: Db,
  account: AccountId,
  subject: Subject,
  file: DeliveredFile,
): Promise<Pick<DeliveryRow, 'id' | 'settings'>[]> {
  return inAccount<Tables>(db, account)
    .updateTable('deliveries')
    .set({ file: JSON.stringify(file) })
    .where('subject_kind', '=', subject.kind)
    .where('subject_id', '=', subject.id)
    .where('status', '=', 'waiting')
    .where('file', 'is', null)
    .returning(['id', 'settings'])
    .execute()
}

/** Rejects the waiting deliveries of a subject that has no file. */
export async function updateAbandoned(db: Db, account: AccountId, subject: Subject, result: string): Promise<void> {
  await inAccount<Tables>(db, account)
    .updateTable('deliveries')
    .set({ status: 'rejected', result })
    .where('subject_kind', '=', subject.kind)
    .where('subject_id', '=', subject.id)
    .where('status', '=', 'waiting')
    .execute()
}

export async function insertAttempt(
  db: Db,
  account: AccountId,
  row: Pick<AttemptRow, 'delivery_id' | 'number' | 'asked_by' | 'started_at'>,
): Promise<void> {
  await inAccount<Tables>(db, account).insertInto('delivery_attempts').values(row).execute()
}

/** Ends a running attempt; a finished one stays unchanged. */
export async function updateAttemptEnded(
  db: Db,
  account: AccountId,
  { deliveryId, number }: { deliveryId: string; number: number },
  end: { ended_at: Date; is_ok: boolean; result: string },
): Promise<void> {
  await inAccount<Tables>(db, account)
    .updateTable('delivery_attempts')
    .set(end)
    .where('delivery_id', '=', deliveryId)
    .where('number', '=', number)
    .where(sql<boolean>`ended_at IS NULL`)
    .execute()
}
