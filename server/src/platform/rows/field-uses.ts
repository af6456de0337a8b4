import type { AccountId } from '@portico/contract/accounts'
import type { FieldType } from '@portico/contract/contacts'
import type { FieldUse } from '@portico/contract/fields'
import type { Stages } from '@portico/contract/filter'
import type { Renaming } from '@portico/domain/pipeline/rename-field'
import { composed } from '@portico/domain/unicode'
import type { Actor } from '../actor.ts'
import type { Db } from '../database.ts'

export type { Renaming } from '@portico/domain/pipeline/rename-field'

/**
 * Stored settings of a module that name fields of contacts. The module exports it in its `Registration`, so that a new name of a
 * field reaches it, and the screen of fields tells where a field is used.
 */
export type FieldUses = {
  kind: FieldUse['kind']
  /**
   * The things that name the field `rename.from`, by their names for people. `isElsewhere`: one belongs to another account as well, so
   * that it cannot follow, and the field cannot be renamed before it is changed.
   */
  find: (db: Db, account: AccountId, rename: Renaming) => Promise<{ name: string; isElsewhere?: boolean }[]>
  /**
   * The things that would mean something else with the new name, whether they name the field or not, or would not get back to what they
   * are: the field cannot be renamed so before they are changed. Absent where a name can only mean the field.
   */
  findUnclear?: (db: Db, account: AccountId, rename: Renaming) => Promise<{ name: string }[]>
  /** The stages of the things that may name a field, by their names for people: they have to fit its type. */
  findStages?: (db: Db, account: AccountId, field: string) => Promise<{ name: string; stages: Stages }[]>
  /** The things that need another type of a field than this one, apart from their stages, each with the reason. */
  findMistyped?: (
    db: Db,
    account: AccountId,
    field: string,
    type: FieldType,
  ) => Promise<{ name: string; problem: string }[]>
  /** Writes the new name into what the account owns. Absent where a field is meant by its number. */
  rename?: (tx: Db, account: AccountId, by: Actor, rename: Renaming) => Promise<void>
}

/**
 * Letters and digits that every spelling of a name has in a row, in lower case; '' where there are none. A text that names the
 * field has them too, so that the database can tell which texts to read (`text ~* part`). Letters with another
 * spelling beyond ASCII (K as the Kelvin sign, the long s, dotless and dotted i) and escaped characters are left out.
 */
export function partOfName(name: string): string {
  const runs =
    composed(name)
      .toLowerCase()
      .match(/[a-hjl-rt-z\d]+/g) ?? []
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '')
}

/** A pattern for texts that may name the field by its earlier or its new name (`text ~* pattern`). */
export function partsOfNames({ from, to }: Pick<Renaming, 'from' | 'to'>): string {
  const parts = [partOfName(from), partOfName(to)]
  return parts.includes('') ? '' : parts.join('|')
}
