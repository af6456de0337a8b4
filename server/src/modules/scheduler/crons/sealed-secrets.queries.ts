import { sql } from 'kysely'
import type { SealedColumn, SealedRow } from '#platform/keys/sealed-column.ts'
import { cronsPurpose } from './cron-secrets.ts'

/** Passwords of crons, for re-encryption with another key. */
export const sealedCronSecrets: SealedColumn = {
  name: 'crons.sealed_secrets',
  purpose: cronsPurpose,
  isOfAccounts: true,
  async select(db, account, { after, limit }) {
    const { rows } = await sql<SealedRow>`
      SELECT id::text AS id, sealed_secrets AS sealed FROM portico.crons
      WHERE account_id = ${account} AND sealed_secrets IS NOT NULL AND (${after}::uuid IS NULL OR id > ${after}::uuid)
      ORDER BY id LIMIT ${limit}`.execute(db)
    return rows
  },
  async replace(db, account, row, sealed) {
    const { numAffectedRows } = await sql`
      UPDATE portico.crons SET sealed_secrets = ${sealed}
      WHERE account_id = ${account} AND id = ${row.id}::uuid AND sealed_secrets = ${row.sealed}`.execute(db)
    return numAffectedRows === 1n
  },
}
