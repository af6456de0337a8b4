import type { Secrets } from '#platform/secrets.ts'

/** Purpose under which secrets of crons are encrypted. */
export const cronsPurpose = 'crons'

/** The passwords that a cron keeps. */
export type CronSecrets = {
  /** Of the SFTP server that its files go to. */
  password?: string
  /** Of its instruction, as its consumer keeps them. */
  instruction?: unknown
}

export const sealCronSecrets = (sealer: Secrets, cronId: string, secrets: CronSecrets): string | null =>
  secrets.password === undefined && (secrets.instruction ?? null) === null
    ? null
    : sealer.seal(JSON.stringify(secrets), cronId)

/** @throws SecretUnreadable */
export const openCronSecrets = (sealer: Secrets, cron: { id: string; sealed_secrets: string | null }): CronSecrets =>
  // Only `sealCronSecrets` writes it.
  cron.sealed_secrets === null ? {} : (JSON.parse(sealer.open(cron.sealed_secrets, cron.id)) as CronSecrets)
