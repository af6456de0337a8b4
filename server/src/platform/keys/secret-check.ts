import { control, type Db } from '../database.ts'
import { createSecrets } from '../secrets.ts'
import type { KeyRing } from './key-ring.ts'
import { canOpen, type SealedColumn } from './sealed-column.ts'

type Tables = { secret_check: { id: string; sealed: string } }

/** Purpose of the value that every start decrypts. */
const secretCheckPurpose = 'secret check'
const checkedText = 'portico'

/** The value as one of the sealed secrets: encrypting all of these with a new key includes it. */
export const sealedSecretCheck: SealedColumn = {
  name: 'secret_check.sealed',
  purpose: secretCheckPurpose,
  isOfAccounts: false,
  select: async (db, _account, { after }) => {
    const row = after === null ? await selectCheck(db) : undefined
    return row ? [row] : []
  },
  replace: async (db, _account, { id, sealed: before }, sealed) => {
    const { numUpdatedRows } = await control<Tables>(db)
      .updateTable('secret_check')
      .set({ sealed })
      .where('id', '=', id)
      .where('sealed', '=', before)
      .executeTakeFirst()
    return numUpdatedRows === 1n
  },
}

/** Returns whether one of the keys is that of the database; null if the database does not have a key yet. */
export async function isKeyOfDatabase(db: Db, keys: KeyRing): Promise<boolean | null> {
  const row = await selectCheck(db)
  return row ? canOpen(createSecrets(keys, secretCheckPurpose), row) : null
}

/** Makes the current key that of the database, unless it has one. */
export async function insertSecretCheck(db: Db, [current]: KeyRing): Promise<void> {
  const id = crypto.randomUUID()
  const sealed = createSecrets(current, secretCheckPurpose).seal(checkedText, id)
  await control<Tables>(db)
    .insertInto('secret_check')
    .values({ id, sealed })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Deletes the record of the database's key. */
export async function deleteSecretCheck(db: Db): Promise<void> {
  await control<Tables>(db).deleteFrom('secret_check').execute()
}

function selectCheck(db: Db): Promise<{ id: string; sealed: string } | undefined> {
  return control<Tables>(db).selectFrom('secret_check').select(['id', 'sealed']).executeTakeFirst()
}
