import type { Actor } from '#platform/actor.ts'
import { text } from 'node:stream/consumers'
import { AccountChanges, AccountId } from '@portico/contract/accounts'
import { AccessName } from '@portico/contract/policies'
import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander'
import type { z } from 'zod'
import { createAccountGroup, findAccountDetails, listAccountDetails } from '#access'
import { createAccount, requireTwoFactorOf, type TwoFactorOf, twoFactorOf, changeAccount } from '#accounts'
import { createIdentityWithPassword, dropTwoFactor } from '#sign-in'
import { AppError, invalidField } from '#platform/app-error.ts'
import { ConfigError, readConfig } from '#platform/config.ts'
import { type Database, openDatabase } from '#platform/database.ts'
import { findRunningPostgres, startEmbeddedPostgres } from '#platform/embedded-postgres/embedded-postgres.ts'
import { readInput } from '#platform/input-problems.ts'
import { createLog } from '#platform/log.ts'
import { migrate } from '#platform/migrations.ts'

const exitFailure = 1
const exitUsage = 2

const by: Actor = { actor: 'command line', address: null }

const program = new Command('portico')
  .description('Operates a portal: its accounts and who may sign in to them.')
  .addHelpText(
    'after',
    `
Each command prints one line of JSON for each result; an error is one line on standard error and exit code ${exitFailure}
(${exitUsage} when the command was called wrongly). It works beside a running portal as well as without one, on the
database that DATABASE_URL names or else on the one in DATA_DIR (./data). "npm run --silent portico" prints nothing else.

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
  portico two-factor require power-admins`,
  )
  // Otherwise commander ends the process by itself, always with 1.
  .exitOverride()
  // An error is one line.
  .showSuggestionAfterError(false)

const accounts = program.command('accounts').description('The accounts of the portal.')

accounts
  .command('list')
  .description('Prints every account, by name, with parent, time zone, power users and whether it is suspended')
  .action(() =>
    withDatabase(async ({ db }) => {
      for (const account of await listAccountDetails(db)) print(account)
    }),
  )

accounts
  .command('create')
  .description('Makes an account and prints it: {"Key":1,"Value":"Example Company"}')
  .requiredOption('--name <name>', 'its name, unlike that of every other account')
  .option('--parent <id>', 'the account that it is a sub-account of', accountId)
  .option('--time-zone <name>', 'IANA name of its time zone, such as Europe/Zurich (default: UTC)')
  .action((options: { name: string; parent?: AccountId; timeZone?: string }) =>
    withDatabase(async (database) => {
      const { name, parent = null, timeZone = 'UTC' } = options
      const id = await createAccount(database, { name, parent, timeZone }, by)
      print({ Key: id, Value: name.trim() })
    }),
  )

accounts
  .command('rename')
  .description('Gives an account another name and prints it')
  .requiredOption('--account <id>', 'the account', accountId)
  .requiredOption('--name <name>', 'its new name, unlike that of every other account')
  .action(({ account, name }: { account: AccountId; name: string }) => changeAndPrint(account, { name }))

accounts
  .command('suspend')
  .description('Suspends an account and prints it: only power admins may enter it, and it keeps its data')
  .requiredOption('--account <id>', 'the account', accountId)
  .action(({ account }: { account: AccountId }) => changeAndPrint(account, { isSuspended: true }))

accounts
  .command('resume')
  .description('Lets a suspended account work again and prints it')
  .requiredOption('--account <id>', 'the account', accountId)
  .action(({ account }: { account: AccountId }) => changeAndPrint(account, { isSuspended: false }))

const groups = program.command('groups').description('Groups that belong to an account.')

groups
  .command('create')
  .description('Makes a group of an account and prints it: {"_id":"…","name":"Analysts","account":1}')
  .requiredOption(
    '--account <id>',
    'the account, which is no sub-account; its sub-accounts know the group too',
    accountId,
  )
  .requiredOption('--name <name>', '5 to 50 characters; "everyone" takes the place of the global group in sub-accounts')
  .requiredOption(
    '--policy <name>',
    'a policy to put in it, global or of the account; may be given several times',
    addTo,
  )
  .addHelpText(
    'after',
    `
Power admins see such a group and cannot change it; power users put identities of the account in it.`,
  )
  .action(({ account, name, policy }: { account: AccountId; name: string; policy: string[] }) =>
    withDatabase(async ({ db }) => {
      const valid = validated(AccessName, 'name', name)
      print({ _id: await createAccountGroup(db, account, { name: valid, policies: policy }, by), name: valid, account })
    }),
  )

const identities = program.command('identities').description('Who may sign in, and to which account.')

identities
  .command('create')
  .description('Gives a person an identity and prints it: {"email":"ada@example.com","account":1,"password":"…"}')
  .requiredOption('--email <address>', 'what the person signs in with')
  .option(
    '--account <id>',
    'the account; without it a power admin is made, who may do everything in all of them',
    accountId,
  )
  .option('--power-user', 'may do everything in the account; otherwise only what the group "everyone" may', false)
  .option('--password-stdin', 'read the password from standard input instead of making one up', false)
  .addHelpText(
    'after',
    `
The password is printed when one was made up, and only then; at the first sign-in its owner chooses another one. A person
who has a password, because of an identity elsewhere, keeps that one.`,
  )
  .action(
    (options: { email: string; account?: AccountId; powerUser: boolean; passwordStdin: boolean }, command: Command) => {
      const { email, account = null, powerUser, passwordStdin } = options
      if (powerUser && account === null) command.error("error: option '--power-user' needs '--account <id>'")
      return withDatabase(async ({ db }) => {
        const given = passwordStdin ? { password: await readPassword() } : {}
        const identity = await createIdentityWithPassword(db, { email, account, powerUser, ...given }, by)
        print({ email: identity.email, account: identity.account, password: identity.password })
      })
    },
  )

identities
  .command('reset-two-factor')
  .description('Turns off two-factor for a person who lost it, and signs them out: {"email":"…","ended":2}')
  .requiredOption('--email <address>', 'what the person signs in with')
  .addHelpText('after', '\nMake sure first that it is them who asks: the password alone lets them in afterwards.')
  .action(({ email }: { email: string }) => withDatabase(async ({ db }) => print(await dropTwoFactor(db, email, by))))

const twoFactor = program.command('two-factor').description('Two-factor of everybody.')

twoFactor
  .command('require')
  .description('Says who has to have two-factor in every account and prints it: {"twoFactorOf":"power-admins"}')
  .addArgument(new Argument('<whom>', 'whom, whatever the accounts ask for').choices(twoFactorOf))
  .addHelpText(
    'after',
    `
People without it must set it up on their next request. API credentials are not affected.`,
  )
  .action((whom: TwoFactorOf) =>
    withDatabase(async ({ db }) => {
      await requireTwoFactorOf(db, whom, by)
      print({ twoFactorOf: whom })
    }),
  )

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

/** Without the line break that an editor or `echo` leaves at the end. */
async function readPassword(): Promise<string> {
  return (await text(process.stdin)).replace(/\r?\n$/, '')
}

function print(result: object): void {
  console.log(JSON.stringify(result))
}

/** Runs `work` on the portal's database; one that was not running is started for it and stopped again. */
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

/** One line for a person at a terminal. */
function describeFailure(error: unknown): string {
  if (error instanceof AppError || error instanceof ConfigError) return error.message
  const code = error instanceof Error && 'code' in error ? error.code : null
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND') return `The database cannot be reached (${code}).`
  return String(error)
}

try {
  await program.parseAsync()
} catch (error) {
  // Commander has told what is wrong, or printed the help, before it threw.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : exitUsage
  else {
    console.error(describeFailure(error).replaceAll(/\s*\n\s*/g, ' '))
    process.exitCode = exitFailure
  }
}
