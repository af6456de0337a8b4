import type { Secrets } from '#platform/secrets.ts'

/** Purpose under which secrets of crons are encrypted. */
export const cronsPurpose = 'crons'

/** The passwords stored with a cron. */
export type CronSecrets = {
  /** For the SFTP server that its files are sent to. */
  password?: string
  /** Secrets of its instruction, in the form its consumer stores. */
  instruction?: unknown
}

export const sealCronSecrets = (sealer: Secrets, cronId: string, secrets: CronSecrets): string | null =>
  secrets.password === undefined && (secrets.instruction ?? null) === null
    ? null
    : sealer.seal(JSON.stringify(secrets), cronId)

/** @throws SecretUnreadable */
export const openCronSecrets = (sealer: Secrets, cron: { id: string; sealed_secrets: string | null }): CronSecrets =>
  // Only `sealCronSecrets` writes this text.
  cron.sealed_secrets === null ? {} : (JSON.parse(sealer.open(cron.sealed_secrets, cron.id)) as CronSecrets)
