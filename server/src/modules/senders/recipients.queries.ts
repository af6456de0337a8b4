import type { AccountId } from '@portico/contract/accounts'
import { sql } from 'kysely'
import { hasIdentityIn } from '#access'
import { accountsAs } from '#accounts'
import { personsAs } from '#persons'
import type { Db } from '#platform/database.ts'

/** Returns those of the address keys that belong to people of the account. */
export async function selectPeopleAmong(db: Db, account: AccountId, keys: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    SELECT p.email_key AS key FROM ${sql.raw(personsAs('p'))} JOIN ${sql.raw(accountsAs('home'))} ON home.id = ${account}
    WHERE p.email_key = ANY (${[...keys]}::text[]) AND ${sql.raw(hasIdentityIn('p.id', 'home'))}`.execute(db)
  return rows.map(({ key }) => key)
}
