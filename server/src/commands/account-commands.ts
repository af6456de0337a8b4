import { AccountChanges, type AccountId } from '@portico/contract/accounts'
import { AccessName } from '@portico/contract/policies'
import type { Command } from 'commander'
import { createAccountGroup, findAccountDetails, listAccountDetails } from '#access'
import { changeAccount, createAccount } from '#accounts'
import { accountId, addTo, validated } from './arguments.ts'
import type { CommandContext } from './terminal.ts'

/** Adds the commands for accounts. */
export function accountCommands(program: Command, { by, print, withDatabase }: CommandContext): void {
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

  function changeAndPrint(account: AccountId, changes: AccountChanges): Promise<void> {
    return withDatabase(async ({ db }) => {
      const valid = validated(AccountChanges, 'account', changes)
      await changeAccount(db, account, valid, by)
      print(await findAccountDetails(db, account))
    })
  }
}

/** Adds the commands for groups. */
export function groupCommands(program: Command, { by, print, withDatabase }: CommandContext): void {
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
        print({
          _id: await createAccountGroup(db, account, { name: valid, policies: policy }, by),
          name: valid,
          account,
        })
      }),
    )
}
