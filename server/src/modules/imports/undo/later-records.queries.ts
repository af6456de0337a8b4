import type { AccountId } from '@portico/contract/accounts'
import type { FieldType } from '@portico/contract/contacts'
import { type RawBuilder, sql } from 'kysely'
import { accountTimeZone } from '#accounts'
import { accountTable, type Db, inAccount } from '#platform/database.ts'
import type { ImportPlan } from '../import-plan.ts'
import type { ImportTable } from '../imports.queries.ts'
import { mark, readWidened, widenedMark, writtenText } from './change-texts.ts'
import { placeOf } from './record-changes.queries.ts'

// Records of later imports, which changed values that an import had changed.

type Sql = RawBuilder<unknown>

/** The place of a value in the records of a later import. */
export type LaterPlace = {
  importId: number
  /** The place in the records of the import that is undone. */
  place: number
  /** The number of the field that has the value, or from which a coordinate is computed; null for a PURL. */
  field: number | null
  laterPlace: number
  /**
   * How texts of one become texts of the other: types of the field at both times, `as is` for keys; null for a field
   * whose type people have changed in between.
   */
  reading: 'as is' | { stored: FieldType; type: FieldType } | null
}

/** The numbers of the fields from which coordinates are computed; null for none. */
type CoordinateFields = Readonly<Record<'latitude' | 'longitude', number | null>>

type Undone = {
  importId: number
  plan: Pick<ImportPlan, 'columns'>
  coordinates: CoordinateFields
  contacts: readonly string[] | null
}

/** Changes of contacts by people, which are those of a higher module. */
export type LaterEdits = {
  /**
   * SQL for the values that they wrote in contacts, by SQL of the ids, and that were not taken back: number of the change (`id`),
   * position in it (`place`), `contact_id`, `field`, the last import before it (`last_import`), and to what its undo leads, as
   * JSON (`returns`).
   */
  standing: (account: AccountId, contacts: Sql) => Sql
  /** Replaces to what their undos lead. `passed`: SQL for rows of `id`, `place` and the new `returns`. */
  passOn: (db: Db, account: AccountId, passed: Sql) => Promise<void>
}

/** Selects the places of the import's values in the records that later imports have of these contacts, or of any. */
export async function selectLaterPlaces(
  db: Db,
  account: AccountId,
  { importId, plan, coordinates, contacts }: Undone,
): Promise<LaterPlace[]> {
  const ofContacts =
    contacts &&
    sql<number>`(
      SELECT DISTINCT r.import_id FROM ${accountTable(account, 'import_changes')} AS r
      WHERE r.contact_id = ANY(${sql.val(contacts)}::bigint[]) AND r.import_id > ${importId}::integer)`
  const rows = await inAccount<{ imports: ImportTable }>(db, account)
    .selectFrom('imports')
    .select(['id', 'plan'])
    .where('kind', '=', 'contacts')
    .where('id', '>', importId)
    .where('records_changes', '=', true)
    .where('processed_records', '>', 0)
    .where('plan', 'is not', null)
    .$if(ofContacts !== null, (query) => query.where('id', 'in', ofContacts ?? sql<number>`(NULL)`))
    .orderBy('id')
    .execute()
  const keys = [
    { place: placeOf.latitude, field: coordinates.latitude },
    { place: placeOf.longitude, field: coordinates.longitude },
    { place: placeOf.purl, field: null },
  ]
  const places = new Map(plan.columns.map(({ field }, at) => [field.id, { field, place: placeOf.firstColumn + at }]))
  return rows.flatMap(({ id, plan: later }): LaterPlace[] => [
    ...keys.map((key) => ({ ...key, importId: id, laterPlace: key.place, reading: 'as is' as const })),
    // An import of contacts has a plan for contacts.
    ...(later as ImportPlan).columns.flatMap(({ field }, at): LaterPlace[] => {
      const own = places.get(field.id)
      if (!own) return []
      const isSameColumn = own.field.column === field.column
      const reading = isSameColumn ? { stored: own.field.type, type: field.type } : null
      return [{ importId: id, place: own.place, field: field.id, laterPlace: placeOf.firstColumn + at, reading }]
    }),
  ])
}

const placesTable = (places: readonly LaterPlace[]): Sql => sql`
  unnest(${places.map(({ importId }) => importId)}::integer[], ${places.map(({ place }) => place)}::integer[],
    ${places.map(({ laterPlace }) => laterPlace)}::integer[], ${places.map(({ field }) => field)}::integer[],
    ${places.map(({ reading }) => nameReading(reading))}::text[])
  AS m (import_id, place, later_place, field, reading)`

const nameReading = (reading: LaterPlace['reading']): string =>
  typeof reading === 'string' ? reading : reading === null ? 'none' : `${reading.stored} ${reading.type}`

type Records = Pick<Undone, 'importId' | 'contacts'>

const laterRecords = (account: AccountId, { importId, contacts }: Records, places: readonly LaterPlace[]) => sql`
  FROM ${accountTable(account, 'import_changes')} AS r JOIN ${placesTable(places)} ON m.import_id = r.import_id
  WHERE r.import_id > ${importId}::integer AND r.after[m.later_place] IS NOT NULL
    ${contacts === null ? sql`` : sql`AND r.contact_id = ANY(${sql.val(contacts)}::bigint[])`}`

/**
 * SQL for whether an import after `importId`, and none after `upTo`, changed the value at a place in the records of a contact.
 */
export const recordedLater = (
  account: AccountId,
  { importId, places }: { importId: number; places: readonly LaterPlace[] },
  { contact, place, upTo }: Record<'contact' | 'place' | 'upTo', Sql>,
): Sql => sql`EXISTS (
  SELECT ${laterRecords(account, { importId, contacts: null }, places)}
    AND r.contact_id = ${contact} AND m.place = ${place} AND r.import_id <= ${upTo})`

/** The places whose values later imports have changed, as one row per contact: `id`, `places`. */
export const overwrittenPlaces = (account: AccountId, undone: Records, places: readonly LaterPlace[]): Sql => sql`
  SELECT r.contact_id AS id, array_agg(DISTINCT m.place) AS places ${laterRecords(account, undone, places)}
  GROUP BY r.contact_id`

/**
 * Passes the values from before an import on to the later imports that were the next to change the values it wrote: when these
 * are undone, such values return.
 */
export async function passToImports(
  db: Db,
  account: AccountId,
  undone: { importId: number; contacts: readonly string[] },
  { places, edits }: { places: readonly LaterPlace[]; edits: LaterEdits },
): Promise<void> {
  if (places.length === 0) return
  const changes = accountTable(account, 'import_changes')
  const { isWritten, passedOn } = comparison(places, await accountTimeZone(db, account))
  const own = [...new Set(places.map(({ place }) => place))]
  // Through the coordinator of a cluster, as for returned values.
  await sql`
    WITH edits AS MATERIALIZED (
      SELECT contact_id, field, last_import
      FROM (${edits.standing(account, sql`${sql.val(undone.contacts)}::bigint[]`)}) AS e
      WHERE last_import >= ${undone.importId}::integer
    ), own AS (
      SELECT r.contact_id, p.place, (array_agg(r.before[p.place] ORDER BY r.batch))[1] AS before,
        (array_agg(r.after[p.place] ORDER BY r.batch DESC))[1] AS after
      FROM ${changes} AS r CROSS JOIN unnest(${own}::integer[]) AS p (place)
      WHERE r.import_id = ${undone.importId}::integer AND r.contact_id = ANY(${sql.val(undone.contacts)}::bigint[])
        AND r.after[p.place] IS NOT NULL
      GROUP BY r.contact_id, p.place
    ), later AS (
      SELECT DISTINCT ON (r.contact_id, m.place) r.contact_id, m.place, m.field, m.reading, r.import_id, r.batch, m.later_place,
        r.before[m.later_place] AS before
      ${laterRecords(account, undone, places)}
      ORDER BY r.contact_id, m.place, r.import_id, r.batch
    ), passed AS (
      SELECT later.contact_id, later.import_id, later.batch, later.later_place, ${passedOn} AS text
      FROM later JOIN own ON own.contact_id = later.contact_id AND own.place = later.place
      WHERE ${isWritten} AND NOT EXISTS (SELECT FROM edits AS e WHERE e.contact_id = later.contact_id
        AND e.field = later.field AND e.last_import < later.import_id)
    ), ${updateBefore(account)}`.execute(db)
}

/** The rest of a statement that puts the texts of the table `passed` into the records: its next table, and the update. */
function updateBefore(account: AccountId): Sql {
  const changes = accountTable(account, 'import_changes')
  return sql`
    spliced AS MATERIALIZED (
      SELECT r.contact_id, r.import_id, r.batch, array_agg(
        CASE WHEN passed.later_place IS NULL THEN given.text ELSE passed.text END ORDER BY given.place) AS before
      FROM ${changes} AS r CROSS JOIN unnest(r.before) WITH ORDINALITY AS given (text, place)
      LEFT JOIN passed ON passed.contact_id = r.contact_id AND passed.import_id = r.import_id AND passed.batch = r.batch
        AND passed.later_place = given.place
      WHERE (r.contact_id, r.import_id, r.batch) IN (SELECT contact_id, import_id, batch FROM passed)
      GROUP BY r.contact_id, r.import_id, r.batch
    )
    UPDATE ${changes} AS r SET before = s.before FROM spliced AS s
    WHERE r.contact_id = s.contact_id AND r.import_id = s.import_id AND r.batch = s.batch`
}

/** A place in the record of an import. */
export type RecordPlace = { importId: number; batch: number; laterPlace: number }

/** For each place of `places`, selects that of the first record in which an import after `importId` changed the value of a contact. */
export async function selectFirstLater(
  db: Db,
  account: AccountId,
  { importId, contact }: { importId: number; contact: string },
  places: readonly LaterPlace[],
): Promise<(RecordPlace & { place: number })[]> {
  const { rows } = await sql<RecordPlace & { place: number }>`
    SELECT DISTINCT ON (m.place) m.place, r.import_id AS "importId", r.batch, m.later_place AS "laterPlace"
    ${laterRecords(account, { importId, contacts: [contact] }, places)}
    ORDER BY m.place, r.import_id, r.batch`.execute(db)
  return rows
}

/** The text of a value, as records have it, and of the one before it; null for none. */
export type ReplacedText = RecordPlace & { written: string | null; earlier: string | null }

/** Replaces texts of a contact's values before imports, where the record still has the one that was `written`. */
export async function replaceBefore(
  db: Db,
  account: AccountId,
  contact: string,
  texts: readonly ReplacedText[],
): Promise<void> {
  if (texts.length === 0) return
  await sql`
    WITH passed AS (
      SELECT r.contact_id, r.import_id, r.batch, t.later_place, t.text
      FROM unnest(${texts.map(({ importId }) => importId)}::integer[], ${texts.map(({ batch }) => batch)}::integer[],
        ${texts.map(({ laterPlace }) => laterPlace)}::integer[], ${texts.map(({ written }) => written)}::text[],
        ${texts.map(({ earlier }) => earlier)}::text[]) AS t (import_id, batch, later_place, written, text)
      JOIN ${accountTable(account, 'import_changes')} AS r
        ON r.contact_id = ${contact}::bigint AND r.import_id = t.import_id AND r.batch = t.batch
      WHERE r.before[t.later_place] IS NOT DISTINCT FROM t.written
    ), ${updateBefore(account)}`.execute(db)
}

/**
 * SQL for whether the value before a later record is the one that the import wrote, and the text of the earlier value for
 * that record, by the way of reading.
 */
function comparison(places: readonly LaterPlace[], timeZone: string): { isWritten: Sql; passedOn: Sql } {
  const readings = new Map(places.map(({ reading }) => [nameReading(reading), reading]))
  const cases = [...readings].map(([name, reading]) => {
    if (reading === null) return { name, isWritten: sql`false`, passedOn: sql`NULL::text` }
    if (reading === 'as is') return { name, isWritten: sql`later.before = own.after`, passedOn: sql`own.before` }
    const { stored, type } = reading
    const widened = { stored, type, timeZone }
    // Only texts have a mark of their own.
    const found = type === 'string' ? mark(sql`later.before`, type) : sql`later.before`
    return {
      name,
      isWritten: sql`${found} = ${widenedMark(sql`own.after`, widened)}`,
      passedOn: stored === type ? sql`own.before` : writtenText(readWidened(sql`own.before`, widened), type),
    }
  })
  const caseOf = (pick: 'isWritten' | 'passedOn') => sql`CASE later.reading
    ${sql.join(
      cases.map((each) => sql`WHEN ${each.name} THEN ${each[pick]}`),
      sql` `,
    )} END`
  return { isWritten: caseOf('isWritten'), passedOn: caseOf('passedOn') }
}
