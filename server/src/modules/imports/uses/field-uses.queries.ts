import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable, type Db, inAccount } from '#platform/database.ts'

/** The columns of an import that name fields of contacts. */
export type NamedColumns = {
  id: number
  name: string
  binds: boolean
  kind: 'contacts' | 'events'
  purl_columns: string[]
  dedup_columns: string[]
  latitude_column: string | null
  longitude_column: string | null
  key_field: string | null
  column_mapping: Record<string, string | null> | null
  on_mismatch_by_field: Record<string, string> | null
}

/** Selects imports whose field names contain this text; `isBinding`: only in settings that bind later imports. */
export async function selectNamedColumns(
  db: Db,
  account: AccountId,
  { part, isBinding }: { part: string; isBinding: boolean },
): Promise<NamedColumns[]> {
  const others = sql`latitude_column, longitude_column, column_mapping::text, on_mismatch_by_field::text,`
  const { rows } = await sql<NamedColumns>`
    SELECT id, name, binds, kind, purl_columns, dedup_columns, latitude_column, longitude_column, key_field, column_mapping,
      on_mismatch_by_field
    FROM ${accountTable(account, 'imports')}
    WHERE concat_ws(' ', ${isBinding ? sql`` : others} purl_columns::text, dedup_columns::text, key_field) ~* ${part}
    ORDER BY id`.execute(db)
  return rows
}

/** Selects the columns by which binding imports identify contacts. */
export async function selectKeyColumns(
  db: Db,
  account: AccountId,
): Promise<Pick<NamedColumns, 'name' | 'purl_columns' | 'dedup_columns' | 'key_field'>[]> {
  return inAccount<{ imports: NamedColumns }>(db, account)
    .selectFrom('imports')
    .select(['name', 'purl_columns', 'dedup_columns', 'key_field'])
    .where('binds', '=', true)
    .orderBy('id')
    .execute()
}

/** A mark of these columns, which differs after each change. */
export async function selectKeyColumnsMark(db: Db, account: AccountId): Promise<string> {
  const { rows } = await sql<{ mark: string }>`
    SELECT md5(coalesce(string_agg(row(id, purl_columns, dedup_columns, key_field)::text, ',' ORDER BY id), '')) AS mark
    FROM ${accountTable(account, 'imports')} WHERE binds`.execute(db)
  return rows[0]?.mark ?? ''
}

export async function updateNamedColumns(db: Db, account: AccountId, row: NamedColumns): Promise<void> {
  const mapping = row.column_mapping && JSON.stringify(row.column_mapping)
  const byField = row.on_mismatch_by_field && JSON.stringify(row.on_mismatch_by_field)
  await sql`
    UPDATE ${accountTable(account, 'imports')}
    SET purl_columns = ${row.purl_columns}, dedup_columns = ${row.dedup_columns},
      latitude_column = ${row.latitude_column}, longitude_column = ${row.longitude_column}, key_field = ${row.key_field},
      column_mapping = ${mapping}, on_mismatch_by_field = ${byField}
    WHERE id = ${row.id}`.execute(db)
}

export async function updateDefaultColumns(
  db: Db,
  account: AccountId,
  { purlColumns, dedupColumns }: { purlColumns: string[]; dedupColumns: string[] },
): Promise<void> {
  await sql`
    UPDATE ${accountTable(account, 'import_defaults')}
    SET purl_columns = ${purlColumns}, dedup_columns = ${dedupColumns}, version = version + 1`.execute(db)
}

/** Selects the latest import that had started by each of the moments, by position in the list of moments. */
export async function selectImportsAt(
  db: Db,
  account: AccountId,
  moments: readonly Date[],
): Promise<Map<number, { id: string; name: string }>> {
  const { rows } = await sql<{ place: string; id: string; name: string }>`
    SELECT asked.place, found.id::text AS id, found.name
    FROM unnest(${sql.val(moments.map((moment) => moment.toISOString()))}::timestamptz[]) WITH ORDINALITY AS asked (moment, place)
    CROSS JOIN LATERAL (
      SELECT id, name FROM ${accountTable(account, 'imports')}
      WHERE kind = 'contacts' AND started_at <= asked.moment AND (last_activity_at IS NULL OR last_activity_at >= asked.moment)
      ORDER BY started_at DESC LIMIT 1
    ) found`.execute(db)
  return new Map(rows.map(({ place, id, name }) => [Number(place) - 1, { id, name }]))
}
