import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { accountTable } from '#platform/database.ts'
import type { SealedColumn, SealedRow } from '#platform/keys/sealed-column.ts'
import { deliveriesPurpose } from './delivery-secrets.ts'

/** Credentials of deliveries, to be encrypted again when the key changes. */
export const sealedDeliverySecrets: SealedColumn = {
  name: 'deliveries.sealed_secrets',
  purpose: deliveriesPurpose,
  isOfAccounts: true,
  async select(db, account, { after, limit }) {
    const { rows } = await sql<SealedRow>`
      SELECT id::text AS id, sealed_secrets AS sealed FROM ${deliveries(account)}
      WHERE sealed_secrets IS NOT NULL AND (${after}::uuid IS NULL OR id > ${after}::uuid)
      ORDER BY id LIMIT ${limit}`.execute(db)
    return rows
  },
  async replace(db, account, row, sealed) {
    const { numAffectedRows } = await sql`
      UPDATE ${deliveries(account)} SET sealed_secrets = ${sealed}
      WHERE id = ${row.id}::uuid AND sealed_secrets = ${row.sealed}`.execute(db)
    return numAffectedRows === 1n
  },
}

function deliveries(account: AccountId | null) {
  if (account === null) throw new Error('Deliveries belong to an account.')
  return accountTable(account, 'deliveries')
}
