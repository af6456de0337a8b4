import type { Activity, ChangedList } from '@portico/contract/activity'
import type { DownloadEntry, StorageUse } from '@portico/contract/downloads'
import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import type { ListQuery } from '@portico/contract/list-query'
import type { Action } from '@portico/contract/route'
import { type RawBuilder, sql } from 'kysely'
import { accountTable, type Db } from './database.ts'
import type { FieldUses, Renaming } from './rows/field-uses.ts'
import type { FilterUses } from './rows/filter-uses.ts'
import type { Caller } from './http/context.ts'

/**
 * A module's entries in the lists that span modules: recent activity, finished files and change marks. The module
 * exports one from its entry file, `server/src/registrations.ts` lists it, and no other module changes. A new kind of
 * job, file or list also needs its name in `contract/src/activity.ts` or `contract/src/downloads.ts`, because the
 * browser shows it.
 *
 * A module registers only the entries that it has. Exports register `jobs`, `files` and `changes`; deletes, which keep
 * no files, only the others. SQL fragments come from the module's own `*.queries.ts`: no other module names its tables.
 */
export type Registration = {
  jobs?: JobSource
  files?: FileSource
  changes?: readonly ChangeSource[]
  /** Finds which of its files have a record. */
  fileKeys?: FileKeys
  /** Stored settings that name fields of contacts. */
  fieldUses?: readonly FieldUses[]
  /**
   * Writes a new name of a field into the requests by which its finished files are judged. They are no uses of the field: they
   * block no change and are not counted.
   */
  renameJudged?: RenameJudged
  /** Stored settings that name saved filters. */
  filterUses?: readonly FilterUses[]
  /** Storage keys of the uploads that unfinished work still reads, regardless of their age. */
  selectUploadsInUse?: (db: Db, account: AccountId) => Promise<string[]>
}

export type RenameJudged = (tx: Db, account: AccountId, rename: Renaming) => Promise<void>

/** Jobs for the list of recent activity. */
export type JobSource = {
  kind: Activity['kind']
  /** The action that allows listing all of them: callers without it do not see this kind. */
  action: Action
  /** Takes `sort`, `limit` and `skip`; newest first when unsorted. */
  list: (
    reader: {
      db: Db
      signal?: AbortSignal
      caller: Pick<Caller, 'can' | 'rows' | 'email'>
      /** The contacts that the reader may see; null for all. */
      rows: Stages | null
    },
    account: AccountId,
    query: ListQuery,
  ) => Promise<ListedJob[] | { count: number }>
}

/** A job as shown in recent activity; the module's own list may have further properties. */
export type ListedJob = {
  _id: string
  name: string
  status: Activity['status']
  recoveryError: string | null
  creator: string
  /** ISO 8601; null while it waits. */
  lastActivityDate: string | null
  creationDate: string
  /** Null if no rows can have been read or written. */
  processedRecords: number | null
}

/** Finished files for the list of downloads, which keeps each for `fileDays` and then removes it from the storage. */
export type FileSource = {
  /** Letters only: `export` gives downloads the ids `export-1`, `export-2`. */
  kind: string
  /** Name of the kind on the wire. */
  label: DownloadEntry['kind']
  /** The part of the storage use that includes its bytes. */
  usage: Exclude<keyof StorageUse, 'uploads' | 'total' | 'quota'>
  /**
   * A SELECT of the account's finished files, including removed ones. Its columns, as all sources are read in one UNION
   * ALL: `id` bigint, `name` and `creator` text, `"fileName"` and `"contentType"` text for the download, `"storageKey"`
   * text, `size` float8 in bytes (null while unknown), `rows` float8, `"createdAt"` timestamptz, `"isRemoved"` boolean.
   */
  select: (account: AccountId) => RawBuilder<unknown>
  /** Whether callers who may see only these rows of the account may have a file; others may have all. */
  isVisible: (db: Db, account: AccountId, id: string, rows: Stages) => Promise<boolean>
  updateSize: (db: Db, account: AccountId, id: string, bytes: number) => Promise<void>
  updateRemoved: (db: Db, account: AccountId, id: string, now: Date) => Promise<void>
}

/** The records of files of one kind, for finding files without one. */
export type FileKeys = {
  /** The second part of their storage keys. */
  kind: string
  /**
   * The states of those keys that have a record. `in use`: unfinished work refers to it and may still switch to another
   * one. `kept`: until the file expires or is released.
   */
  states: (db: Db, account: AccountId | null, keys: readonly string[]) => Promise<Map<string, 'kept' | 'in use'>>
}

/** Returns the states of files of jobs, whose keys are in `column` of the account's table. */
export function fileKeysOf(
  kind: string,
  { table, column, removedAt }: { table: string; column: string; removedAt: string },
): FileKeys {
  const [name, removed] = [sql.ref(column), sql.ref(removedAt)]
  return {
    kind,
    async states(db, account, keys) {
      if (account === null) return new Map()
      const { rows } = await sql<{ key: string; isRunning: boolean }>`
        SELECT ${name} AS key, status NOT IN ('completed', 'rejected') AS "isRunning" FROM ${accountTable(account, table)}
        WHERE ${name} = ANY(${sql.val([...keys])}::text[]) AND ${removed} IS NULL`.execute(db)
      return new Map(rows.map(({ key, isRunning }) => [key, isRunning ? 'in use' : 'kept']))
    },
  }
}

/** A part of a list's content. A list may have several sources, from one or more modules. */
export type ChangeSource = {
  list: ChangedList | 'access'
  /**
   * The action that allows seeing the list: callers without it are not notified of its changes. Changes of `access` are
   * sent to no client.
   */
  action: Action
  /**
   * A scalar subquery: a text that changes whenever this part of the list does. All marks are read in one statement.
   */
  mark: (account: AccountId) => RawBuilder<unknown>
}

/** Rows that may still change; older ones ended long ago. */
const markedRows = 100

/** Hashes `id` and the given columns of a table's latest rows. Expressions may refer to the row as `latest`. */
export function markOf(table: RawBuilder<unknown>, columns: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const latest = sql`(SELECT * FROM ${table} ORDER BY id DESC LIMIT ${markedRows}) latest`
  return sql`(SELECT md5(coalesce(string_agg(ROW(id, ${sql.join(columns)})::text, ' ' ORDER BY id), '')) FROM ${latest})`
}
