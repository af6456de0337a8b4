import type { Database } from '#platform/database.ts'
import { createAccount, listAccounts } from '#accounts'
import { hasPowerAdmin } from '#access'
import { type AdminSettings, requireUsableAdminPassword } from './admin-password.service.ts'
import { createIdentityWithPassword } from './identity-with-password.service.ts'
import { withBootstrapLock } from './bootstrap.queries.ts'
import { selectPerson } from '#persons'

/** The first power admin's email and password. */
export type FirstSignIn = { email: string; password: string }

/**
 * Creates the account and the power admin that a new installation needs. Runs at every start and leaves existing ones
 * alone; processes that start together wait for each other. Returns the credentials when it generated a password, which
 * is stored nowhere in plain text.
 */
export async function bootstrap(database: Database, config: AdminSettings): Promise<FirstSignIn | null> {
  return withBootstrapLock(database.db, async (tx) => {
    await requireUsableAdminPassword(tx, config)
    if ((await listAccounts(tx)).length === 0) await createAccount(database, { name: config.company, parent: null })
    if (await hasPowerAdmin(tx)) return null
    const { adminEmail, adminPassword, company, product } = config
    // A person who already has a password keeps it.
    const hasPassword = Boolean((await selectPerson(tx, adminEmail))?.passwordHash)
    const given = adminPassword === null || hasPassword ? {} : { password: adminPassword }
    const { email, password } = await createIdentityWithPassword(tx, {
      email: adminEmail,
      account: null,
      powerUser: false,
      ...given,
      portalNames: { company, product },
    })
    return password === undefined ? null : { email, password }
  })
}
