import { migrateAccounts } from '#platform/migrations.ts'
import type { Services } from '#platform/services.ts'

const everyMs = 60_000

/**
 * Completes accounts whose creation was interrupted, and migrates those whose server was down, every minute while the
 * process runs (ADR 0072).
 */
export function completeAccounts({ database, log }: Pick<Services, 'database' | 'log'>): void {
  const complete = (): void => {
    migrateAccounts(database).catch((error: unknown) => log.warn({ err: error }, 'accounts were not completed'))
  }
  setInterval(complete, everyMs).unref()
}
