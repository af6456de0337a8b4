import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import type { ContactField } from '#contacts'
import { searchableText, type Sql, textVector, wordsVersion } from '#filters'
import { selectFromAccountServer } from '#platform/citus/citus.ts'
import { accountTable, type Db, isLockTimeout } from '#platform/database.ts'
import { inSavepoint } from '#platform/rows/savepoint.ts'

/** State of the full-text index and of the imports that change its contacts. Dates are null for events that never happened. */
export type FullTextState = {
  built_at: Date | null
  /** Of the rules that its words were made by, see `wordsVersion` of `#filters`. */
  words_version: number
  /** The last import whose contacts are all indexed. */
  import_id: number
  /** The fields whose texts are indexed. */
  text_fields: number[]
  /** The last field that existed at the time. */
  last_field: number
  /** Last activity of an import or of taking one back, or the last change of a contact whose words were not written. */
  changed_at: Date | null
  is_changing: boolean
  last_import: number
}

export async function selectFullTextState(db: Db, account: AccountId): Promise<FullTextState> {
  // Imports change the texts of contacts, people those of single ones. Deleted contacts are in no query, whatever the index
  // holds.
  const { rows } = await sql<FullTextState>`
    SELECT w.built_at, coalesce(w.words_version, 0) AS words_version, coalesce(w.import_id, 0) AS import_id, coalesce(w.text_fields, '{}') AS text_fields,
      coalesce(w.last_field, 0) AS last_field,
      greatest(i.changed_at, w.missed_at) AS changed_at, i.is_changing, i.last_import
    FROM (
      SELECT max(greatest(last_activity_at, undo_activity_at)) AS changed_at, coalesce(max(id), 0) AS last_import,
        coalesce(bool_or(status IN ('processing', 'recovery') OR undo_status IS NOT DISTINCT FROM 'processing'), FALSE) AS is_changing
      FROM ${accountTable(account, 'imports')}
    ) AS i LEFT JOIN ${accountTable(account, 'contact_word_index')} AS w ON w.id = 1`.execute(db)
  const [row] = rows
  if (!row) throw new Error('an aggregate returned no row')
  return row
}

/** Records a request for the index. Returns whether it is the first since `before`. */
export async function insertRequest(db: Db, account: AccountId, at: Date, before: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    INSERT INTO ${accountTable(account, 'contact_word_index')} AS w (id, requested_at, progress) VALUES (1, ${at}, 0)
    ON CONFLICT (id) DO UPDATE SET requested_at = excluded.requested_at, progress = 0
      WHERE w.requested_at < ${before}`.execute(db)
  return numAffectedRows === 1n
}

/** Records the progress of writing entries from 0 to 1, null when the job is not running. */
export async function updateFullTextProgress(db: Db, account: AccountId, progress: number | null): Promise<void> {
  await sql`
    UPDATE ${accountTable(account, 'contact_word_index')}
    SET progress = ${progress}, requested_at = ${new Date()}`.execute(db)
}

/**
 * Progress from 0 to 1 of writing entries, then of building the index over them. Null when not running, and where the
 * account's server cannot be asked.
 */
export async function selectFullTextProgress(
  db: Db,
  account: AccountId,
): Promise<{ written: number | null; indexed: number | null }> {
  const { rows } = await sql<{ written: number | null }>`
    SELECT progress AS written FROM ${accountTable(account, 'contact_word_index')}`.execute(db)
  const written = rows[0]?.written ?? null
  if (written === null) return { written, indexed: null }
  // The rows are not visible yet, but the server reports how much of the table it has read.
  const builds = await selectFromAccountServer(
    db,
    account,
    ['contact_words'],
    (tables) => sql<{ indexed: number }>`
      SELECT p.blocks_done::float8 / greatest(p.blocks_total, 1) AS indexed
      FROM ${tables} AS t
      JOIN pg_stat_progress_create_index AS p ON p.relid = t.oid AND p.datname = current_database()`,
  )
  return { written, indexed: builds?.[0]?.indexed ?? null }
}

export async function countContacts(db: Db, account: AccountId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::float8 AS count FROM ${accountTable(account, 'contacts')}`.execute(db)
  return rows[0]?.count ?? 0
}

/** The id of the last of the `many` contacts after one; null if there are fewer. */
export async function selectLastOfNext(
  db: Db,
  account: AccountId,
  after: string,
  many: number,
): Promise<string | null> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM ${accountTable(account, 'contacts')} WHERE id > ${after}::bigint
    ORDER BY id OFFSET ${many - 1} LIMIT 1`.execute(db)
  return rows[0]?.id ?? null
}

/** Empties the table and drops its index, since building the index at the end is faster than updating it row by row. */
export async function deleteAllEntries(db: Db, account: AccountId): Promise<void> {
  await sql`TRUNCATE ${accountTable(account, 'contact_words')}`.execute(db)
  await sql`DROP INDEX IF EXISTS ${accountTable(account, 'contact_words_words_idx')}`.execute(db)
}

/** Deletes the entries of deleted contacts. */
export async function deleteOrphanedEntries(db: Db, account: AccountId): Promise<void> {
  await sql`
    DELETE FROM ${accountTable(account, 'contact_words')} AS w
    WHERE w.id NOT IN (SELECT id FROM ${accountTable(account, 'contacts')})`.execute(db)
}

/** Contacts that imports have added from an id on, or changed since. */
export type ChangedContacts = { firstId: string; updatedAt: Date }

/** Contacts with ids after one, up to another; null for all that follow. */
export type ContactRange = { after: string; upTo: string | null }

/** Writes the entries of the contacts in a range: of those that have changed `since`, or of all. */
export async function insertEntries(
  db: Db,
  account: AccountId,
  fields: readonly ContactField[],
  since: ChangedContacts | null,
  { after, upTo }: ContactRange,
): Promise<void> {
  const parts = [...new Set(fields.map(({ table }) => table))].filter((table) => table !== 'contacts')
  const joins: Sql[] = parts.map(
    (table) => sql`LEFT JOIN ${accountTable(account, table)} AS ${sql.id(table)} ON ${sql.id(table)}.id = contacts.id`,
  )
  const words = textVector(searchableText(fields.map(({ table, column }) => sql.id(table, column))))
  const changed = since
    ? sql`AND (contacts.id >= ${since.firstId}::bigint OR contacts.updated_at >= ${since.updatedAt})`
    : sql``
  const end = upTo === null ? sql`` : sql`AND contacts.id <= ${upTo}::bigint`
  await sql`
    INSERT INTO ${accountTable(account, 'contact_words')} (id, words)
    SELECT contacts.id, ${words}
    FROM ${sql.join([sql`${accountTable(account, 'contacts')} AS contacts`, ...joins], sql` `)}
    WHERE contacts.id > ${after}::bigint ${end} ${changed}
    ON CONFLICT (id) DO UPDATE SET words = excluded.words`.execute(db)
}

/** The same in a transaction with a lock timeout, which goes on when it has passed. Returns whether they are written. */
export async function insertEntriesUnlessLocked(
  db: Db,
  account: AccountId,
  fields: readonly ContactField[],
  range: ContactRange,
): Promise<boolean> {
  try {
    await inSavepoint(db, () => insertEntries(db, account, fields, null, range))
    return true
  } catch (error) {
    if (!isLockTimeout(error)) throw error
    return false
  }
}

/** The index that full-text search uses. Built after the first entries are written, which takes a third of the time. */
export async function createFullTextIndex(db: Db, account: AccountId): Promise<void> {
  await sql`
    CREATE INDEX IF NOT EXISTS contact_words_words_idx ON ${accountTable(account, 'contact_words')}
    USING gin (words) WITH (fastupdate = off)`.execute(db)
}

export async function analyzeEntries(db: Db, account: AccountId): Promise<void> {
  await sql`ANALYZE ${accountTable(account, 'contact_words')}`.execute(db)
}

export async function updateFullTextState(
  db: Db,
  account: AccountId,
  state: { builtAt: Date; importId: number; textFields: number[]; lastField: number },
): Promise<void> {
  await sql`
    INSERT INTO ${accountTable(account, 'contact_word_index')}
      (id, requested_at, built_at, words_version, import_id, text_fields, last_field)
    VALUES (1, ${state.builtAt}, ${state.builtAt}, ${wordsVersion}::integer, ${state.importId}, ${sql.val(state.textFields)}::integer[],
      ${state.lastField})
    ON CONFLICT (id) DO UPDATE
      SET progress = NULL, built_at = excluded.built_at, words_version = excluded.words_version, import_id = excluded.import_id, text_fields = excluded.text_fields,
        last_field = excluded.last_field`.execute(db)
}

/** Has the whole index built again, as its texts are of other fields by now. */
export async function updateOutdated(db: Db, account: AccountId, at: Date): Promise<void> {
  await sql`
    UPDATE ${accountTable(account, 'contact_word_index')}
    SET built_at = NULL, missed_at = ${at}::timestamptz`.execute(db)
}

/** Notes that the words of a contact could not be written at this moment; with `ifBuilding`, only while the index is being made. */
export async function updateWordsMissed(
  db: Db,
  account: AccountId,
  at: Date,
  { ifBuilding }: { ifBuilding: boolean },
): Promise<void> {
  const which = ifBuilding ? sql`WHERE progress IS NOT NULL` : sql``
  await sql`
    UPDATE ${accountTable(account, 'contact_word_index')} SET missed_at = ${at}::timestamptz ${which}`.execute(db)
}
