import type { Database, Db } from '#platform/database.ts'
import type { Patiently } from '#platform/waits/database-start.ts'
import { createAccount, listAccounts } from '#accounts'
import { hasPowerAdmin } from '#access'
import { type AdminSettings, requireUsableAdminPassword } from './admin-password.service.ts'
import { createIdentityWithPassword } from './identity-with-password.service.ts'
import { withBootstrapLock } from './bootstrap.queries.ts'
import { selectPerson } from '#persons'
import { generatePassword, isPasswordOf } from '../passwords/passwords.ts'

/** The first power admin's email and password. */
export type FirstSignIn = { email: string; password: string }

/**
 * Creates the account and the power admin that a new installation needs. Runs at every start and leaves existing ones
 * unchanged; processes that start together wait for each other. Returns the credentials if it generated a password,
 * which is stored nowhere in plain text. It returns them even when the connection was lost while they were recorded,
 * and `patiently` repeats the step.
 */
export async function bootstrap(
  database: Database,
  config: AdminSettings,
  patiently: Patiently = (step) => step(),
): Promise<FirstSignIn | null> {
  const generated = generatePassword()
  let isRepeated = false
  return patiently(async () => {
    const wasRepeated = isRepeated
    isRepeated = true
    return makeFirst(database, config, generated, wasRepeated)
  })
}

async function makeFirst(
  database: Database,
  config: AdminSettings,
  generated: string,
  isRepeated: boolean,
): Promise<FirstSignIn | null> {
  return withBootstrapLock(database.db, async (tx) => {
    await requireUsableAdminPassword(tx, config)
    if ((await listAccounts(tx)).length === 0) await createAccount(database, { name: config.company, parent: null })
    if (await hasPowerAdmin(tx)) return isRepeated ? ownFirstSignIn(tx, config, generated) : null
    const { adminEmail, adminPassword, company, product } = config
    // A person who already has a password keeps it.
    const hasPassword = Boolean((await selectPerson(tx, adminEmail))?.passwordHash)
    const given = adminPassword === null || hasPassword ? {} : { password: adminPassword }
    const { email, password } = await createIdentityWithPassword(tx, {
      email: adminEmail,
      account: null,
      powerUser: false,
      generated,
      ...given,
      portalNames: { company, product },
    })
    return password === undefined ? null : { email, password }
  })
}

/** The credentials, if an earlier attempt of this start has recorded them. */
async function ownFirstSignIn(tx: Db, { adminEmail }: AdminSettings, generated: string): Promise<FirstSignIn | null> {
  const person = await selectPerson(tx, adminEmail)
  const isOurs = person !== null && (await isPasswordOf(person.passwordHash, generated))
  return isOurs ? { email: person.email, password: generated } : null
}
