import { recordAudit } from '#audit'
import { listAccounts } from '#accounts'
import { sealedDeliverySecrets } from '#delivery'
import { sealedCronSecrets } from '#scheduler'
import { sealedTwoFactorSecrets } from '#sign-in'
import type { Actor } from '#platform/actor.ts'
import type { Db } from '#platform/database.ts'
import type { KeyRing } from '#platform/keys/key-ring.ts'
import { ConfigError } from '#platform/config.ts'
import { createSecrets } from '#platform/secrets.ts'
import { canOpen, type Resealed, resealColumn, type SealedColumn } from '#platform/keys/sealed-column.ts'
import {
  deleteSecretCheck,
  insertSecretCheck,
  isKeyOfDatabase,
  sealedSecretCheck,
} from '#platform/keys/secret-check.ts'

/** All columns of sealed secrets. A test compares them with the schema and with the purposes in the code. */
export const sealedColumns: readonly SealedColumn[] = [
  sealedTwoFactorSecrets,
  sealedDeliverySecrets,
  sealedCronSecrets,
  // Last: the key becomes that of the database once all others have it.
  sealedSecretCheck,
]

/** Encrypts all stored secrets with the current key, column by column; yields each when it is done. */
export async function* resealAll(db: Db, keys: KeyRing, by: Actor): AsyncGenerator<Resealed> {
  const accounts = (await listAccounts(db)).map(({ Key }) => Key)
  for (const column of sealedColumns) {
    const { column: subject, ...counts } = await resealColumn(db, keys, column, accounts)
    await recordAudit(db, { ...by, account: null, action: 'secrets re-encrypted', subject, details: counts })
    yield { column: subject, ...counts }
  }
}

/**
 * Refuses to start with a key that does not decrypt the secrets of the database: they would fail one by one, and new
 * ones would be encrypted with another key. A database without a check value gets one, unless its secrets have another
 * key.
 * @throws ConfigError
 */
export async function requireKeyOfDatabase(db: Db, keys: KeyRing): Promise<void> {
  if (await isKeyOfDatabase(db, keys)) return
  if ((await isKeyOfDatabase(db, keys)) === null && (await mayBeOf(db, keys))) {
    await insertSecretCheck(db, keys)
    // Of processes that start concurrently with different keys, one gave the database its key.
    if (await isKeyOfDatabase(db, keys)) return
  }
  throw new ConfigError(
    'SECRET_KEY is not the one that the secrets of this database are encrypted with. Set SECRET_KEY to that one (unless it ' +
      'was set, it is in the file secret-key of the DATA_DIR that the database was used with), or list it in ' +
      'SECRET_KEY_OLD. If it is lost, run "portico secrets replace-lost-key".',
  )
}

const mostLookedAt = 20

/** Returns whether the database has no secrets yet, or one of the keys decrypts some. */
async function mayBeOf(db: Db, keys: KeyRing): Promise<boolean> {
  const accounts = (await listAccounts(db)).map(({ Key }) => Key)
  let found = 0
  for (const column of sealedColumns) {
    const secrets = createSecrets(keys, column.purpose)
    for (const account of column.isOfAccounts ? accounts : [null]) {
      const rows = await column.select(db, account, { after: null, limit: mostLookedAt })
      if (rows.some((row) => canOpen(secrets, row))) return true
      found += rows.length
      if (found >= mostLookedAt) return false
    }
  }
  return found === 0
}

/** Makes the current key that of the database although it does not decrypt its secrets, which must be entered again. */
export async function replaceLostKey(db: Db, keys: KeyRing, by: Actor): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await deleteSecretCheck(tx)
    await insertSecretCheck(tx, keys)
    await recordAudit(tx, { ...by, account: null, action: 'secret key replaced', subject: 'SECRET_KEY' })
  })
}
