import type { AccountId } from '@portico/contract/accounts'
import type { FieldType } from '@portico/contract/contacts'
import type { FieldUse } from '@portico/contract/fields'
import type { Stages } from '@portico/contract/filter'
import type { Renaming } from '@portico/domain/pipeline/rename-field'
import { composed } from '@portico/domain/unicode'
import type { Actor } from '../actor.ts'
import type { Db } from '../database.ts'
import type { SoughtFields, StoredRenaming } from './sought-fields.ts'

export type { Renaming } from '@portico/domain/pipeline/rename-field'
export type { StoredRenaming } from './sought-fields.ts'

/** A name that no field can have: a text that changes when a field is renamed to it names the field. */
export const unusedName = '\u0001'

/**
 * Stored settings of a module that name fields of contacts. The module exports it in its `Registration`: a renamed
 * field then changes them too, and the screen of fields shows where a field is used.
 */
export type FieldUses = {
  kind: FieldUse['kind']
  /**
   * Returns the names, for people, of the items that use the field `rename.from`. `isElsewhere`: one also belongs to
   * another account and cannot be renamed with the field, so it must be changed before the field can be renamed.
   */
  find: (db: Db, account: AccountId, rename: StoredRenaming) => Promise<{ name: string; isElsewhere?: boolean }[]>
  /**
   * Yields all items, each with the folded names of the sought fields that it uses. Every stored text is read once, and
   * only a few are in memory.
   */
  findEach: (db: Db, account: AccountId, sought: SoughtFields) => AsyncIterable<{ name: string; fields: Set<string> }>
  /** Returns a text that differs after each change of the items that `find`, `findEach` and `findUnclear` judge. */
  readMark: (db: Db, account: AccountId) => Promise<string>
  /**
   * Returns the items that would mean something else with the new name, whether or not they use the field, or that
   * renaming back would not restore: they must be changed before the field can be renamed. Absent where a name can only
   * mean the field.
   */
  findUnclear?: (db: Db, account: AccountId, rename: StoredRenaming) => Promise<{ name: string }[]>
  /** Returns the stages of the items that may use the field, by their names for people: they must fit its type. */
  findStages?: (db: Db, account: AccountId, field: string) => AsyncIterable<{ name: string; stages: Stages }>
  /**
   * Returns the items that need another type of a field than this one, apart from their stages, each with the reason.
   */
  findMistyped?: (
    db: Db,
    account: AccountId,
    field: string,
    type: FieldType,
  ) => Promise<{ name: string; problem: string }[]>
  /**
   * Writes the new name into the items that the account owns. Absent where a field is identified by its number, and for
   * rights. It must not change the row of the account itself: its transaction waits for the lock of all rights
   * afterwards, and those who hold that lock change this row.
   */
  rename?: (tx: Db, account: AccountId, by: Actor, rename: StoredRenaming) => Promise<void>
  /** Present where the items are rights, which are saved under one lock of the whole portal. */
  rights?: FieldRights
}

/** Field names in rights are searched and judged before the lock of all rights is taken, and only written under it. */
type FieldRights = {
  /**
   * Computes the new texts of the items that the account owns. Returns the function that writes them, for as long as the
   * mark is the same.
   */
  prepareRename: (db: Db, account: AccountId, by: Actor, rename: StoredRenaming) => Promise<(tx: Db) => Promise<void>>
}

/**
 * Returns letters and digits that every spelling of a name contains, in lower case; '' if there are none. A text that
 * names the field contains them too, which lets the database find the texts to read (`text ~* part`). Letters with
 * another spelling beyond ASCII (K as the Kelvin sign, the long s, dotless and dotted i) and escaped characters are
 * left out.
 */
export function partOfName(name: string): string {
  const runs =
    composed(name)
      .toLowerCase()
      .match(/[a-hjl-rt-z\d]+/g) ?? []
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '')
}

/** Returns a pattern for texts that may name the field by its old or its new name (`text ~* pattern`). */
export function partsOfNames({ from, to }: Pick<Renaming, 'from' | 'to'>): string {
  const parts = [partOfName(from), partOfName(to)]
  return parts.includes('') ? '' : parts.join('|')
}

/**
 * Returns a pattern for stored JSON as users wrote it, in which any letter may be an escape such as `\u0061`, from one
 * that `partOfName` or `partsOfNames` returned.
 */
export const inWrittenJson = (pattern: string): string => (pattern === '' ? '' : String.raw`${pattern}|\\u`)
