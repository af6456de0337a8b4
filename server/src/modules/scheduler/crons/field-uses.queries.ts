import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import type { CronRow, Tables } from '../tables.ts'

/** A cron whose instruction may name a field, with its size in bytes. */
type NamingCron = Pick<CronRow, 'id'> & { bytes: number }

/** Terminated crons can be copied, and are kept forever: this many of the latest ones follow a renamed field. */
const mostTerminated = 1000

/**
 * Selects crons of the account whose instructions match the pattern, in any letter case, by their ids: those that are
 * not terminated, and (`withTerminated`) the latest terminated ones.
 */
export async function selectNaming(
  db: Db,
  account: AccountId,
  pattern: string,
  { withTerminated }: { withTerminated: boolean },
): Promise<NamingCron[]> {
  const terminated = sql`
    UNION ALL (SELECT id, instruction FROM portico.crons WHERE account_id = ${account} AND terminated_at IS NOT NULL
      ORDER BY terminated_at DESC, id LIMIT ${mostTerminated})`
  // OFFSET keeps the text from being written twice for each cron.
  const { rows } = await sql<NamingCron>`
    SELECT c.id, octet_length(written.text) AS bytes
    FROM (
      SELECT id, instruction FROM portico.crons WHERE account_id = ${account} AND terminated_at IS NULL
      ${withTerminated ? terminated : sql``}
    ) AS c CROSS JOIN LATERAL (SELECT c.instruction::text AS text OFFSET 0) AS written
    WHERE written.text ~* ${pattern} ORDER BY c.id`.execute(db)
  return rows
}

/** A mark of the account's crons that are not terminated, which differs after each change. */
export async function selectCronsMark(db: Db, account: AccountId): Promise<string> {
  const { rows } = await sql<{ mark: string }>`
    SELECT md5(coalesce(string_agg(concat(id, ' ', version), ',' ORDER BY id), '')) AS mark
    FROM portico.crons WHERE account_id = ${account} AND terminated_at IS NULL`.execute(db)
  return rows[0]?.mark ?? ''
}

const cronsById = (db: Db, account: AccountId, crons: readonly NamingCron[]) =>
  control<Tables>(db)
    .selectFrom('crons')
    .selectAll()
    .where('account_id', '=', account)
    .where(sql<boolean>`id = ANY(${sql.val(crons.map(({ id }) => id))}::uuid[])`)
    .orderBy('id')

export async function selectSomeCrons(db: Db, account: AccountId, crons: readonly NamingCron[]): Promise<CronRow[]> {
  return cronsById(db, account, crons).execute()
}

/** The same, locked until the end of the transaction. */
export async function lockSomeCrons(db: Db, account: AccountId, crons: readonly NamingCron[]): Promise<CronRow[]> {
  return cronsById(db, account, crons).forUpdate().execute()
}

export async function updateInstruction(
  db: Db,
  account: AccountId,
  id: string,
  instruction: Record<string, unknown>,
  next: { version: number; saves: string },
): Promise<void> {
  await control<Tables>(db)
    .updateTable('crons')
    .set({ instruction: JSON.stringify(instruction), updated_at: new Date(), ...next })
    .where('account_id', '=', account)
    .where('id', '=', id)
    .execute()
}
