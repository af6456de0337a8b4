import type { PortalNames } from '@portico/contract/password-rules'
import { hasPowerAdmin } from '#access'
import { selectPerson } from '#persons'
import { AppError } from '#platform/app-error.ts'
import { ConfigError } from '#platform/config.ts'
import type { Db } from '#platform/database.ts'
import { requireGoodPassword } from '../passwords/password-rules.ts'

/** Settings for the first power admin. */
export type AdminSettings = PortalNames & { adminEmail: string; adminPassword: string | null }

/**
 * Checks `PORTICO_ADMIN_PASSWORD` if `bootstrap` is going to use it: when there is no power admin and the person has no
 * password.
 * @throws ConfigError
 */
export async function requireUsableAdminPassword(db: Db, settings: AdminSettings): Promise<void> {
  if (await hasPowerAdmin(db)) return
  if ((await selectPerson(db, settings.adminEmail))?.passwordHash) return
  await requireGoodAdminPassword(settings)
}

/** @throws ConfigError with the reason, if `PORTICO_ADMIN_PASSWORD` is set but breaks the rules */
export async function requireGoodAdminPassword(settings: AdminSettings): Promise<void> {
  const { adminEmail, adminPassword, company, product } = settings
  if (adminPassword === null) return
  const owner = { email: adminEmail, userName: null }
  await requireGoodPassword('password', adminPassword, owner, { company, product }).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
    throw new ConfigError(`PORTICO_ADMIN_PASSWORD is refused: ${error.message.slice('password: '.length)}`)
  })
}
