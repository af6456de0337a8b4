import type { Actor } from '#platform/actor.ts'
import { text } from 'node:stream/consumers'
import { AccountChanges, AccountId } from '@portico/contract/accounts'
import { AccessName } from '@portico/contract/policies'
import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { createAccountGroup, findAccountDetails, listAccountDetails } from '#access'
import { createAccount, requireTwoFactorOf, type TwoFactorOf, twoFactorOf, changeAccount } from '#accounts'
import {
  changePersonEmail,
  createIdentityWithPassword,
  dropTwoFactor,
  endAllSessions,
  listPersonConflicts,
} from '#sign-in'
import { AppError, invalidField } from '#platform/app-error.ts'
import { ConfigError, readConfig, readSettings } from '#platform/config.ts'
import { type Database, openDatabase } from '#platform/database.ts'
import { findRunningPostgres, startEmbeddedPostgres } from '#platform/embedded-postgres/embedded-postgres.ts'
import { readInput } from '#platform/input-problems.ts'
import { inOneLine } from '#platform/texts/in-one-line.ts'
import { createLog } from '#platform/log.ts'
import { migrate } from '#platform/migrations.ts'
import { secretsCommands } from './secrets-commands.ts'

const exitFailure = 1
const exitUsage = 2

const by: Actor = { actor: 'command line', address: null, via: { kind: 'command-line' } }

const program = new Command('portico')
  .description('Manages the accounts, groups and identities of a portal.')
  .addHelpText(
    'after',
    `
Each command prints one line of JSON per result. Errors are one line on standard error, with exit code ${exitFailure}
(${exitUsage} for incorrect usage). The portal may be running or not. The database is DATABASE_URL, or else the one in
DATA_DIR (./data). "npm run --silent portico" omits the output of npm.

Examples:
  portico accounts create --name "Example Company"
  portico accounts create --name "Example Company North" --parent 1 --time-zone Europe/Zurich
  portico accounts list
  portico accounts rename --account 2 --name "Example Company South"
  portico accounts suspend --account 2
  portico groups create --account 1 --name "Analysts" --policy "Read contacts" --policy "Exports"
  portico identities create --email ada@example.com --account 1 --power-user
  portico identities create --email root@example.com --password-stdin < password.txt
  portico identities reset-two-factor --email ada@example.com
  portico persons conflicts
  portico persons change-email --id 01890a5d-ac96-774b-bcce-b302099a8057 --email ada@example.com
  portico sessions end-all
  portico two-factor require power-admins
  portico secrets re-encrypt
  portico secrets replace-lost-key`,
  )
  // Otherwise commander always exits with code 1.
  .exitOverride()
  // Errors are one line.
  .showSuggestionAfterError(false)

const accounts = program.command('accounts').description('Manage accounts.')

accounts
  .command('list')
  .description('List all accounts by name, with parent, time zone, power users and whether they are suspended')
  .action(() =>
    withDatabase(async ({ db }) => {
      for (const account of await listAccountDetails(db)) print(account)
    }),
  )

accounts
  .command('create')
  .description('Create an account and print it: {"Key":1,"Value":"Example Company"}')
  .requiredOption('--name <name>', 'unique name of the account')
  .option('--parent <id>', 'parent account; makes this a sub-account', accountId)
  .option('--time-zone <name>', 'IANA time zone, such as Europe/Zurich (default: UTC)')
  .action((options: { name: string; parent?: AccountId; timeZone?: string }) =>
    withDatabase(async (database) => {
      const { name, parent = null, timeZone = 'UTC' } = options
      const id = await createAccount(database, { name, parent, timeZone }, by)
      print({ Key: id, Value: name.trim() })
    }),
  )

accounts
  .command('rename')
  .description('Rename an account and print it')
  .requiredOption('--account <id>', 'the account', accountId)
  .requiredOption('--name <name>', 'new unique name of the account')
  .action(({ account, name }: { account: AccountId; name: string }) => changeAndPrint(account, { name }))

accounts
  .command('suspend')
  .description('Suspend an account and print it: only power admins can enter it, and its data is kept')
  .requiredOption('--account <id>', 'the account', accountId)
  .action(({ account }: { account: AccountId }) => changeAndPrint(account, { isSuspended: true }))

accounts
  .command('resume')
  .description('Resume a suspended account and print it')
  .requiredOption('--account <id>', 'the account', accountId)
  .action(({ account }: { account: AccountId }) => changeAndPrint(account, { isSuspended: false }))

const groups = program.command('groups').description('Manage groups of accounts.')

groups
  .command('create')
  .description('Create a group of an account and print it: {"_id":"…","name":"Analysts","account":1}')
  .requiredOption('--account <id>', 'account, not a sub-account; its sub-accounts share the group', accountId)
  .requiredOption('--name <name>', '5 to 50 characters; "everyone" replaces the global group in sub-accounts')
  .requiredOption('--policy <name>', 'policy of the group, global or of the account; can be repeated', addTo)
  .addHelpText(
    'after',
    `
Power admins can see such a group but not change it; power users can add identities of the account to it.`,
  )
  .action(({ account, name, policy }: { account: AccountId; name: string; policy: string[] }) =>
    withDatabase(async ({ db }) => {
      const valid = validated(AccessName, 'name', name)
      print({ _id: await createAccountGroup(db, account, { name: valid, policies: policy }, by), name: valid, account })
    }),
  )

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
    (options: { email: string; account?: AccountId; powerUser: boolean; passwordStdin: boolean }, command: Command) => {
      const { email, account = null, powerUser, passwordStdin } = options
      if (powerUser && account === null) command.error("error: option '--power-user' needs '--account <id>'")
      return withDatabase(async ({ db }) => {
        const { company, product } = readSettings(process.env)
        const given = passwordStdin ? { password: await readPassword(), portalNames: { company, product } } : {}
        const identity = await createIdentityWithPassword(db, { email, account, powerUser, ...given }, by)
        print({ email: identity.email, account: identity.account, password: identity.password })
      })
    },
  )

identities
  .command('reset-two-factor')
  .description('Turn off two-factor for a person who lost access to it, and sign them out: {"email":"…","ended":2}')
  .requiredOption('--email <address>', 'what the person signs in with')
  .addHelpText(
    'after',
    '\nVerify the identity of the person first: afterwards the password alone is enough to sign in.',
  )
  .action(({ email }: { email: string }) => withDatabase(async ({ db }) => print(await dropTwoFactor(db, email, by))))

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

program
  .command('sessions')
  .description('Manage sessions.')
  .command('end-all')
  .description('Sign everybody out, in all accounts, with all impersonation links: {"ended":12,"links":1}')
  .addHelpText('after', '\nEverybody can sign in again at once. API credentials are not affected.')
  .action(() => withDatabase(async ({ db }) => print(await endAllSessions(db, by))))

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

secretsCommands(program, { withDatabase, print, by })

function changeAndPrint(account: AccountId, changes: AccountChanges): Promise<void> {
  return withDatabase(async ({ db }) => {
    const valid = validated(AccountChanges, 'account', changes)
    await changeAccount(db, account, valid, by)
    print(await findAccountDetails(db, account))
  })
}

/** Parses an argument as the API would. Throws `invalid_input` with the problem. */
function validated<Schema extends z.ZodType>(schema: Schema, name: string, value: unknown): z.output<Schema> {
  const { data, problems } = readInput(schema, value)
  if (problems === null) return data
  const [problem] = problems
  throw invalidField(
    !problem || problem.field === 'body' ? name : problem.field,
    problem?.message ?? 'Value is invalid!',
  )
}

function addTo(value: string, given: string[] = []): string[] {
  return [...given, value]
}

function accountId(value: string): AccountId {
  const id = AccountId.safeParse(value)
  if (!id.success) throw new InvalidArgumentError("An account's id is a positive whole number.")
  return id.data
}

function personId(value: string): string {
  const id = z.guid().safeParse(value)
  if (!id.success) throw new InvalidArgumentError("A person's id is a UUID.")
  return id.data
}

/** Reads the password, without the final line break of an editor or `echo`. */
async function readPassword(): Promise<string> {
  return (await text(process.stdin)).replace(/\r?\n$/, '')
}

function print(result: object): void {
  console.log(JSON.stringify(result))
}

/** Runs `work` on the portal's database. Starts the embedded one if it is not running, and stops it afterwards. */
async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const { url, stop } = await reachPostgres()
  try {
    await migrate(url)
    const database = openDatabase(url, createLog({ level: 'silent' }), { max: 2 })
    try {
      await work(database)
    } finally {
      await database.close()
    }
  } finally {
    await stop()
  }
}

async function reachPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const { databaseUrl, dataDir } = readConfig(process.env)
  const url = databaseUrl ?? (await findRunningPostgres(dataDir))
  if (url !== null) return { url, stop: async () => {} }
  return startEmbeddedPostgres(dataDir, { info: () => {} })
}

/** Returns the error as one line for the terminal. */
function describeFailure(error: unknown): string {
  if (error instanceof AppError || error instanceof ConfigError) return error.message
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') return `The database cannot be reached (${code}).`
  return String(error)
}

try {
  await program.parseAsync()
} catch (error) {
  // Commander has already printed the error or the help.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : exitUsage
  else {
    console.error(inOneLine(describeFailure(error)))
    process.exitCode = exitFailure
  }
}
