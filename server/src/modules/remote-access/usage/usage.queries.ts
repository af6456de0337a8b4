import type { AccountId } from '@portico/contract/accounts'
import type { CallRefusal } from '@portico/contract/remote-access'
import { refusedOriginsKept } from '@portico/contract/remote-access/rules'
import { sql } from 'kysely'
import { accountTable, type Db, inAccount } from '#platform/database.ts'
import type { CallFigures, Tables } from '../tables.ts'

/** Figures to add to a day of an access. */
export type CountedCalls = CallFigures & { accessId: string; day: string }

/** Origins that an access has refused since the last write. */
export type RefusedOrigin = { accessId: string; origin: string; refusal: CallRefusal; at: Date; calls: number }

/** Adds figures to the days of accesses that still exist. */
export async function addToDays(db: Db, account: AccountId, counted: readonly CountedCalls[]): Promise<void> {
  const sorted = counted.toSorted((one, other) => Number(one.accessId) - Number(other.accessId))
  const figures = (name: keyof CallFigures) => sql`${sql.val(sorted.map((each) => each[name]))}::int[]`
  await sql`
    INSERT INTO ${accountTable(account, 'remote_access_days')} AS days
      (access_id, day, served, not_found, several, refused, limited, events, dropped)
    SELECT counted.* FROM unnest(
      ${sql.val(sorted.map(({ accessId }) => accessId))}::bigint[], ${sql.val(sorted.map(({ day }) => day))}::date[],
      ${figures('served')}, ${figures('not_found')}, ${figures('several')}, ${figures('refused')},
      ${figures('limited')}, ${figures('events')}, ${figures('dropped')}
    ) AS counted (access_id, day, served, not_found, several, refused, limited, events, dropped)
    JOIN ${accountTable(account, 'remote_accesses')} AS accesses ON accesses.id = counted.access_id
    ON CONFLICT (access_id, day) DO UPDATE SET
      served = days.served + EXCLUDED.served, not_found = days.not_found + EXCLUDED.not_found,
      several = days.several + EXCLUDED.several, refused = days.refused + EXCLUDED.refused,
      limited = days.limited + EXCLUDED.limited, events = days.events + EXCLUDED.events,
      dropped = days.dropped + EXCLUDED.dropped`.execute(db)
}

/** Sets the time of the last use, which changes at most once a minute. */
export async function updateLastUsed(db: Db, account: AccountId, ids: readonly string[], now: Date): Promise<void> {
  await inAccount<Tables>(db, account)
    .updateTable('remote_accesses')
    .set({ last_used_at: now })
    .where('id', 'in', [...ids])
    .where((on) => on.or([on('last_used_at', 'is', null), on('last_used_at', '<', new Date(now.getTime() - 60_000))]))
    .execute()
}

/** Stores refused origins, the latest ten of each access. */
export async function rememberOrigins(db: Db, account: AccountId, refused: readonly RefusedOrigin[]): Promise<void> {
  const table = accountTable(account, 'remote_access_origins')
  const key = ({ accessId, origin, refusal }: RefusedOrigin) => `${accessId} ${origin} ${refusal}`
  const sorted = refused.toSorted((one, other) => (key(one) < key(other) ? -1 : 1))
  await sql`
    INSERT INTO ${table} AS origins (access_id, origin, refusal, refused_at, calls)
    SELECT refused.* FROM unnest(
      ${sql.val(sorted.map(({ accessId }) => accessId))}::bigint[], ${sql.val(sorted.map(({ origin }) => origin))}::text[],
      ${sql.val(sorted.map(({ refusal }) => refusal))}::text[],
      ${sql.val(sorted.map(({ at }) => at.toISOString()))}::timestamptz[], ${sql.val(sorted.map(({ calls }) => calls))}::int[]
    ) AS refused (access_id, origin, refusal, refused_at, calls)
    JOIN ${accountTable(account, 'remote_accesses')} AS accesses ON accesses.id = refused.access_id
    ON CONFLICT (access_id, origin, refusal) DO UPDATE
    SET refused_at = EXCLUDED.refused_at, calls = origins.calls + EXCLUDED.calls`.execute(db)
  const accesses = [...new Set(sorted.map(({ accessId }) => accessId))]
  await sql`
    DELETE FROM ${table} WHERE (access_id, origin, refusal) IN (
      SELECT access_id, origin, refusal FROM (
        SELECT access_id, origin, refusal, row_number() OVER (PARTITION BY access_id ORDER BY refused_at DESC, origin, refusal) AS place
        FROM ${table} WHERE access_id = ANY (${sql.val(accesses)}::bigint[])
      ) AS placed WHERE place > ${refusedOriginsKept}
    )`.execute(db)
}

/** The latest days of an access, oldest first. */
export async function selectDays(
  db: Db,
  account: AccountId,
  id: string,
  days: number,
): Promise<(CallFigures & { day: string })[]> {
  const latest = await inAccount<Tables>(db, account)
    .selectFrom('remote_access_days')
    .select(['served', 'not_found', 'several', 'refused', 'limited', 'events', 'dropped'])
    .select(sql<string>`day::text`.as('day'))
    .where('access_id', '=', id)
    .orderBy('remote_access_days.day', 'desc')
    .limit(days)
    .execute()
  return latest.toReversed()
}

/** The origins that an access refused, latest first. */
export async function selectOrigins(db: Db, account: AccountId, id: string) {
  return inAccount<Tables>(db, account)
    .selectFrom('remote_access_origins')
    .select(['origin', 'refusal', 'refused_at', 'calls'])
    .where('access_id', '=', id)
    .orderBy('refused_at', 'desc')
    .orderBy('origin')
    .limit(refusedOriginsKept)
    .execute()
}
