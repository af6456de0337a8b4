import type { NewerVersion, Save } from '@portico/contract/versions'
import type { ColumnType, Generated } from 'kysely'
import type { Actor } from '../actor.ts'
import { AppError } from '../app-error.ts'

// A save over a newer version is refused, since the form shows outdated values. All items that are edited in a form
// keep their version and last saves in two columns of their row, and change them only by these functions.

/** Columns of a table whose rows are edited in a form. */
export type VersionColumns = {
  version: Generated<number>
  /** JSON, newest first. */
  saves: ColumnType<Save[], string | undefined, string>
}

/** The row of an item, locked until the end of the transaction: of two concurrent saves, the second sees the first. */
export type VersionRow = { version: number; saves: Save[] }

const savesKept = 10

/**
 * Requires the sent version to be the current one. Without one, as from older clients, the last save wins.
 * @throws newer_version with who has saved it since, when, and which fields
 */
export function requireVersion({ version, saves }: VersionRow, sent: number | undefined): void {
  if (sent === undefined || sent === version) return
  const changes = saves.filter((save) => save.version > sent)
  const [newest] = changes
  const details: NewerVersion = {
    version,
    savedBy: newest?.savedBy ?? '',
    savedAt: newest?.savedAt ?? '',
    changes,
  }
  throw new AppError('newer_version', details)
}

/** Returns the columns of a row after a save that changed these fields. */
export function nextVersion(
  { version, saves }: VersionRow,
  { actor }: Actor,
  fields: readonly string[],
): { version: number; saves: string } {
  const save: Save = {
    version: version + 1,
    savedBy: actor,
    savedAt: new Date().toISOString(),
    fields: [...fields],
  }
  return { version: save.version, saves: JSON.stringify([save, ...saves].slice(0, savesKept)) }
}
