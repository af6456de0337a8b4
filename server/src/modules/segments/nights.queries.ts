import type { AccountId } from '@portico/contract/accounts'
import type { JobStatus } from '@portico/contract/jobs'
import type { Day } from '@portico/domain/days'
import { type Generated, type Selectable, sql } from 'kysely'
import { accountTable, type Db, inAccount } from '#platform/database.ts'
import type { JobTable } from '#platform/jobs/job-rows.ts'

/** Table `segment_nights` of an account: a row for each night whose segments are counted. */
type NightTable = {
  id: Generated<number>
  night: Day
  status: JobStatus
  recovery_count: Generated<number>
  recovery_error: string | null
  last_activity_at: Date | null
  created_at: Date
}
type Tables = { segment_nights: NightTable }

export type NightRow = Selectable<NightTable>

export const nightJobs: JobTable<NightTable, 'id' | 'status' | 'recovery_count'> = {
  name: 'segment_nights',
  seen: ['id', 'status', 'recovery_count'],
}

/** Returns the id of the night; null if it was there already. */
export async function insertNight(db: Db, account: AccountId, night: Day, now: Date): Promise<number | null> {
  const row = await inAccount<Tables>(db, account)
    .insertInto('segment_nights')
    .values({ night, status: 'waiting', created_at: now })
    .onConflict((on) => on.column('night').doNothing())
    .returning('id')
    .executeTakeFirst()
  return row?.id ?? null
}

export async function hasNight(db: Db, account: AccountId, night: Day): Promise<boolean> {
  const query = inAccount<Tables>(db, account).selectFrom('segment_nights').select('id').where('night', '=', night)
  return (await query.executeTakeFirst()) !== undefined
}

/** The night as `2026-01-31`. */
export async function selectNight(db: Db, account: AccountId, id: number): Promise<NightRow | undefined> {
  const { rows } = await sql<NightRow>`
    SELECT *, night::text AS night FROM ${accountTable(account, 'segment_nights')} WHERE id = ${id}`.execute(db)
  return rows[0]
}

/** Removes the nights before a day. */
export async function deleteNightsBefore(db: Db, account: AccountId, first: Day): Promise<void> {
  await inAccount<Tables>(db, account).deleteFrom('segment_nights').where('night', '<', first).execute()
}
