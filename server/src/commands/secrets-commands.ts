import type { Command } from 'commander'
import { ConfigError, readConfig } from '#platform/config.ts'
import { replaceLostKey, resealAll } from '../sealed-columns.ts'
import type { CommandContext } from './terminal.ts'

/** Adds the commands for stored secrets. */
export function secretCommands(program: Command, { by, env, print, withDatabase }: CommandContext): void {
  const secrets = program.command('secrets').description('Manage the encryption of stored secrets.')

  secrets
    .command('re-encrypt')
    .description('Encrypt all stored secrets with SECRET_KEY: {"column":"crons.sealed_secrets","reEncrypted":3,…}')
    .addHelpText(
      'after',
      `
Run it after changing SECRET_KEY, with the key before in SECRET_KEY_OLD. It can be stopped and repeated, also while the
portal runs. "unreadable" counts secrets that none of the keys decrypts; if there are any, the command fails. Recovery
codes are hashes, which cannot be made again: keep the old key until their owners have renewed them.`,
    )
    .action(() =>
      withDatabase(async ({ db }) => {
        let unreadable = 0
        for await (const done of resealAll(db, readConfig(env).secretKey, by)) {
          print(done)
          unreadable += done.unreadable
        }
        if (unreadable > 0) throw new ConfigError(unreadableSecrets(unreadable))
      }),
    )

  secrets
    .command('replace-lost-key')
    .description('Go on with SECRET_KEY after the earlier key was lost: {"replaced":true}')
    .addHelpText(
      'after',
      `
The portal starts again. Secrets that SECRET_KEY does not decrypt have to be entered again: two-factor authentication is
reset by "portico identities reset-two-factor", and passwords and headers of deliveries are entered in their crons.`,
    )
    .action(() =>
      withDatabase(async ({ db }) => {
        await replaceLostKey(db, readConfig(env).secretKey, by)
        print({ replaced: true })
      }),
    )
}

const unreadableSecrets = (count: number): string =>
  `${count} stored ${count === 1 ? 'secret was' : 'secrets were'} left unchanged: no key decrypts ${count === 1 ? 'it' : 'them'}. Add the earlier key to SECRET_KEY_OLD, and repeat.`
