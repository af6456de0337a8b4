import { sql } from 'kysely'
import type { Database } from '#platform/database.ts'
import { createAccount, listAccounts } from '#accounts'
import { selectHasPowerAdmin } from '#access'
import { createIdentityWithPassword } from './password-identities.service.ts'
import { selectPerson } from '#persons'

/** What the first power admin signs in with. */
export type FirstSignIn = { email: string; password: string }

// Any number; it only has to be the same in every process that starts.
const bootstrapLock = 7_215_094

/**
 * Makes what a new installation needs: an account, and a power admin who can enter it. What is there already is left
 * alone, so it is called at every start; processes that start together wait for each other. Answers how to sign in when
 * a password was made up: it is not to be had again.
 */
export async function bootstrap(
  database: Database,
  config: { company: string; adminEmail: string; adminPassword: string | null },
): Promise<FirstSignIn | null> {
  return database.db.transaction().execute(async (tx) => {
    await sql`SELECT pg_advisory_xact_lock(${bootstrapLock})`.execute(tx)
    if ((await listAccounts(tx)).length === 0) await createAccount(database, { name: config.company, parent: null })
    if (await selectHasPowerAdmin(tx)) return null
    const { adminEmail, adminPassword } = config
    // Somebody who has a password from elsewhere keeps it.
    const hasPassword = Boolean((await selectPerson(tx, adminEmail))?.passwordHash)
    const given = adminPassword === null || hasPassword ? {} : { password: adminPassword }
    const { email, password } = await createIdentityWithPassword(tx, {
      email: adminEmail,
      account: null,
      powerUser: false,
      ...given,
    })
    return password === undefined ? null : { email, password }
  })
}
