import type { KeyComputation } from '@portico/contract/dedup-keys'
import type { AccountId } from '@portico/contract/accounts'
import type { JobStatus } from '@portico/contract/jobs'
import { type ColumnType, type Generated, type JSONColumnType, type Selectable, sql, type Updateable } from 'kysely'
import type { ActsAs } from '#credentials'
import { accountTable, type BigintColumn, type Db, inAccount } from '#platform/database.ts'

type Duplicates = KeyComputation['duplicates']

/** Table `key_computations` of an account. */
type KeyComputationTable = {
  id: Generated<string>
  /** Numbers of the fields whose values are the keys, in their order. */
  fields: number[]
  creator: string
  acts_as: JSONColumnType<ActsAs>
  created_at: Date
  status: Exclude<JobStatus, 'recovery'>
  last_activity_at: Date | null
  completed_at: Date | null
  /** Id of the last contact that has been looked at. */
  position: Generated<string>
  /** Id of the last contact when it was requested. */
  up_to: string
  total_records: BigintColumn
  processed_records: BigintColumn
  keyed_records: BigintColumn
  blank_records: BigintColumn
  duplicate_records: BigintColumn
  duplicates: ColumnType<Duplicates, string | undefined, string>
  stalled_attempts: Generated<number>
  reason: string | null
}
type Tables = { key_computations: KeyComputationTable }

export type KeyComputationRow = Selectable<KeyComputationTable>

export async function insertKeyComputation(
  db: Db,
  account: AccountId,
  row: { fields: number[]; creator: string; acts_as: string; created_at: Date; up_to: string; total_records: number },
): Promise<KeyComputationRow> {
  return inAccount<Tables>(db, account)
    .insertInto('key_computations')
    .values({ ...row, status: 'waiting' })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function selectLastKeyComputation(db: Db, account: AccountId): Promise<KeyComputationRow | undefined> {
  return inAccount<Tables>(db, account)
    .selectFrom('key_computations')
    .selectAll()
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Selects the last computation that was completed before a moment. */
export async function selectKeyComputationBefore(
  db: Db,
  account: AccountId,
  at: Date,
): Promise<KeyComputationRow | undefined> {
  return inAccount<Tables>(db, account)
    .selectFrom('key_computations')
    .selectAll()
    .where('completed_at', '<', at)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Selects a computation and locks it until the transaction ends. */
export async function lockKeyComputation(
  db: Db,
  account: AccountId,
  id: string,
): Promise<KeyComputationRow | undefined> {
  return inAccount<Tables>(db, account)
    .selectFrom('key_computations')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export async function updateKeyComputation(
  db: Db,
  account: AccountId,
  id: string,
  change: Updateable<KeyComputationTable>,
): Promise<KeyComputationRow> {
  return inAccount<Tables>(db, account)
    .updateTable('key_computations')
    .set(change)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Returns whether a computation is running or queued in the account. */
export async function isComputingKeys(db: Db, account: AccountId): Promise<boolean> {
  const row = await inAccount<Tables>(db, account)
    .selectFrom('key_computations')
    .select('id')
    .where('status', 'in', ['waiting', 'processing'])
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Selects the numbers of the fields by which keys were computed last, in their order: the rule of the account while its
 * contacts have such keys and no import with dedup columns binds. Empty without such a rule.
 */
export async function selectComputedRule(db: Db, account: AccountId): Promise<number[]> {
  const { rows } = await sql<{ fields: number[] }>`
    SELECT k.fields FROM ${accountTable(account, 'key_computations')} AS k
    WHERE k.id = (SELECT max(id) FROM ${accountTable(account, 'key_computations')})
      AND (k.status IN ('waiting', 'processing')
        OR EXISTS (SELECT FROM ${accountTable(account, 'contact_keys')} WHERE dedup_hash IS NOT NULL))
      AND NOT EXISTS (
        SELECT FROM ${accountTable(account, 'imports')} WHERE kind = 'contacts' AND binds AND processed_records > 0
          AND purl_scope = 'account' AND dedup_columns <> '{}')`.execute(db)
  return rows[0]?.fields ?? []
}
