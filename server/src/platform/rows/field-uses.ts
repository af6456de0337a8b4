import type { AccountId } from '@portico/contract/accounts'
import type { FieldUse } from '@portico/contract/fields'
import type { FieldRename } from '@portico/domain/pipeline/rename-field'
import { composed } from '@portico/domain/unicode'
import type { Actor } from '../actor.ts'
import type { Db } from '../database.ts'

export type { FieldRename } from '@portico/domain/pipeline/rename-field'

/**
 * Stored settings of a module that name fields of contacts. The module exports it in its `Registration`, so that a new name of a
 * field reaches it, and the screen of fields tells where a field is used.
 */
export type FieldUses = {
  kind: FieldUse['kind']
  /**
   * The things that name the field `rename.from`, by their names for people. `isElsewhere`: one belongs to another account, or does not show
   * how it could follow, so that the field cannot be renamed before it is changed.
   */
  find: (db: Db, account: AccountId, rename: FieldRename) => Promise<{ name: string; isElsewhere?: boolean }[]>
  /** Writes the new name into what the account owns. Absent where a field is meant by its number. */
  rename?: (tx: Db, account: AccountId, by: Actor, rename: FieldRename) => Promise<void>
}

/**
 * Letters and digits that every spelling of a name has in a row, in lower case; '' where there are none. A text that names the
 * field has them too, so that the database can tell which texts to read (`text ~* part`). Letters with another
 * spelling beyond ASCII (K as the Kelvin sign, the long s, dotless and dotted i) and escaped characters are left out.
 */
export function partOfName(name: string): string {
  const runs =
    name
      .normalize('NFC')
      .toLowerCase()
      .match(/[a-hjl-rt-z\d]+/g) ?? []
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest), '')
}
