import { recordAudit } from '#audit'
import { listAccounts } from '#accounts'
import { sealedDeliverySecrets } from '#delivery'
import { sealedCronSecrets } from '#scheduler'
import { sealedTwoFactorSecrets } from '#sign-in'
import type { Actor } from '#platform/actor.ts'
import type { Db } from '#platform/database.ts'
import type { KeyRing } from '#platform/keys/key-ring.ts'
import { type Resealed, resealColumn, type SealedColumn } from '#platform/keys/sealed-column.ts'

/** All columns of sealed secrets. A test compares them with the schema and with the purposes in the code. */
export const sealedColumns: readonly SealedColumn[] = [sealedTwoFactorSecrets, sealedDeliverySecrets, sealedCronSecrets]

/** Encrypts all stored secrets with the present key, one column after the other; yields each when it is done. */
export async function* resealAll(db: Db, keys: KeyRing, by: Actor): AsyncGenerator<Resealed> {
  const accounts = (await listAccounts(db)).map(({ Key }) => Key)
  for (const column of sealedColumns) {
    const { column: subject, ...counts } = await resealColumn(db, keys, column, accounts)
    await recordAudit(db, { ...by, account: null, action: 'secrets re-encrypted', subject, details: counts })
    yield { column: subject, ...counts }
  }
}
