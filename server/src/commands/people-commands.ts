import type { AccountId } from '@portico/contract/accounts'
import { Argument, type Command } from 'commander'
import { requireTwoFactorOf, type TwoFactorOf, twoFactorOf } from '#accounts'
import {
  changePersonEmail,
  createIdentityWithPassword,
  dropTwoFactor,
  endAllSessions,
  listPersonConflicts,
} from '#sign-in'
import { readSettings } from '#platform/config.ts'
import { accountId, personId } from './arguments.ts'
import type { CommandContext } from './terminal.ts'

/** Adds the commands for identities. */
export function identityCommands(
  program: Command,
  { by, env, print, readPassword, withDatabase }: CommandContext,
): void {
  const identities = program.command('identities').description('Manage sign-ins to accounts.')

  identities
    .command('create')
    .description('Create an identity and print it: {"email":"ada@example.com","account":1,"password":"…"}')
    .requiredOption('--email <address>', 'what the person signs in with')
    .option(
      '--account <id>',
      'account; if omitted, the identity is a power admin with full access to all accounts',
      accountId,
    )
    .option('--power-user', 'full access to the account; otherwise only the rights of the group "everyone"', false)
    .option('--password-stdin', 'read the password from standard input instead of generating one', false)
    .addHelpText(
      'after',
      `
A generated password is printed, and must be changed at the first sign-in. A person who already has a password, because of
another identity, keeps it.`,
    )
    .action(
      (
        options: { email: string; account?: AccountId; powerUser: boolean; passwordStdin: boolean },
        command: Command,
      ) => {
        const { email, account = null, powerUser, passwordStdin } = options
        if (powerUser && account === null) command.error("error: option '--power-user' needs '--account <id>'")
        return withDatabase(async ({ db }) => {
          const { company, product } = readSettings(env)
          const given = passwordStdin ? { password: await readPassword(), portalNames: { company, product } } : {}
          const identity = await createIdentityWithPassword(db, { email, account, powerUser, ...given }, by)
          print({ email: identity.email, account: identity.account, password: identity.password })
        })
      },
    )

  identities
    .command('reset-two-factor')
    .description(
      'Turn off two-factor and remove the passkeys of a person who lost them, and sign them out: {"email":"…","ended":2,"passkeys":1}',
    )
    .requiredOption('--email <address>', 'what the person signs in with')
    .addHelpText(
      'after',
      '\nVerify the identity of the person first: afterwards the password alone is enough to sign in.',
    )
    .action(({ email }: { email: string }) => withDatabase(async ({ db }) => print(await dropTwoFactor(db, email, by))))
}

/** Adds the commands for people who cannot be found by their address. */
export function personCommands(program: Command, { by, print, withDatabase }: CommandContext): void {
  const persons = program.command('persons').description('Manage people whose address does not find them.')

  persons
    .command('conflicts')
    .description('List people whose address several have or is not valid: {"_id":"…","email":"…","reason":"…",…}')
    .addHelpText(
      'after',
      `
They come from releases that compared addresses differently. None of them can sign in or be invited with the address until
only one has it: give the others another one with "portico persons change-email".`,
    )
    .action(() =>
      withDatabase(async ({ db }) => {
        for (const conflict of await listPersonConflicts(db)) print(conflict)
      }),
    )

  persons
    .command('change-email')
    .description('Give a person another address, and sign them out: {"email":"ada@example.com","ended":2}')
    .requiredOption('--id <id>', 'the person, as "portico persons conflicts" lists them', personId)
    .requiredOption('--email <address>', 'what the person signs in with from then on')
    .addHelpText(
      'after',
      '\nVerify the identity of the person first: the password stays, and works with the new address.',
    )
    .action((change: { id: string; email: string }) =>
      withDatabase(async ({ db }) => print(await changePersonEmail(db, change, by))),
    )
}

/** Adds the command that signs everyone out. */
export function sessionCommands(program: Command, { by, print, withDatabase }: CommandContext): void {
  program
    .command('sessions')
    .description('Manage sessions.')
    .command('end-all')
    .description('Sign everybody out, in all accounts, with all impersonation links: {"ended":12,"links":1}')
    .addHelpText('after', '\nEverybody can sign in again at once. API credentials are not affected.')
    .action(() => withDatabase(async ({ db }) => print(await endAllSessions(db, by))))
}

/** Adds the command that requires two-factor. */
export function twoFactorCommands(program: Command, { by, print, withDatabase }: CommandContext): void {
  const twoFactor = program.command('two-factor').description('Manage the two-factor requirement.')

  twoFactor
    .command('require')
    .description('Set who must use two-factor in all accounts, and print it: {"twoFactorOf":"power-admins"}')
    .addArgument(
      new Argument('<scope>', 'people it is required of, in addition to the settings of accounts').choices(twoFactorOf),
    )
    .addHelpText(
      'after',
      `
People without it must set it up on their next request. API credentials are not affected.`,
    )
    .action((scope: TwoFactorOf) =>
      withDatabase(async ({ db }) => {
        await requireTwoFactorOf(db, scope, by)
        print({ twoFactorOf: scope })
      }),
    )
}
