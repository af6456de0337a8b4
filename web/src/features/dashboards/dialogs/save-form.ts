import type { AccountId } from '@portico/contract/accounts'
import { type Dashboard, dashboardTags, type NewDashboard, type SharedWith } from '@portico/contract/dashboards'
import { isSameCaller, repeatedAddresses } from '@portico/contract/email-address'
import { personalAddress } from '@portico/contract/email-schemas'
import { messages } from '@portico/contract/messages'
import { isSameName } from '@portico/domain/names'
import { z } from 'zod'

/** How a list of the sharing is chosen. `parent`: all accounts of the current parent. */
export type Choice = 'all' | 'current' | 'custom' | 'parent'

export type SaveValues = {
  name: string
  tags: string[]
  /** Power admins choose parents and accounts; others accounts only. */
  parents: { choice: Choice; custom: string[] }
  accounts: { choice: Choice; custom: string[] }
  users: { choice: Choice; custom: string[] }
}

/** The person who shares: the account they are in, and its parent (the account itself if it has none). */
export type Sharer = { account: AccountId; parent: AccountId; email: string; sharesByParent: boolean }

const listOf = (ids: SharedWith['paids'], current: AccountId): { choice: Choice; custom: string[] } => {
  if (ids === 'all') return { choice: 'all', custom: [] }
  if (ids.length === 1 && ids[0] === current) return { choice: 'current', custom: [] }
  return { choice: 'custom', custom: ids.map(String) }
}

/** The form's values for a dashboard, or for a new one: shared with the current account and all its users. */
export function saveValues(
  dashboard: Pick<Dashboard, 'name' | 'tags' | 'sharedWith'> | null,
  { account, parent, email, sharesByParent }: Sharer,
): SaveValues {
  const { paids, aids, users } = dashboard?.sharedWith ?? { paids: [parent], aids: [account], users: 'all' as const }
  const isOfParent = !sharesByParent && aids === 'all' && paids !== 'all' && paids[0] === parent
  return {
    name: dashboard?.name ?? '',
    tags: dashboard?.tags ?? [],
    parents: listOf(paids, parent),
    accounts: isOfParent ? { choice: 'parent', custom: [] } : listOf(aids, account),
    users:
      users === 'all'
        ? { choice: 'all', custom: [] }
        : users.length === 1 && isSameCaller(users[0] ?? '', email)
          ? { choice: 'current', custom: [] }
          : { choice: 'custom', custom: users },
  }
}

const idsOf = ({ choice, custom }: SaveValues['parents'], current: AccountId): SharedWith['paids'] =>
  choice === 'all' ? 'all' : choice === 'custom' ? custom.map(Number) : [current]

/** The sharing on the wire: "current" is stored as the id or the email itself. */
function sharedWithOf({ parents, accounts, users }: SaveValues, sharer: Sharer): SharedWith {
  const emails: SharedWith['users'] =
    users.choice === 'all' ? 'all' : users.choice === 'current' ? [sharer.email] : users.custom
  if (!sharer.sharesByParent) {
    if (accounts.choice === 'parent') return { paids: [sharer.parent], aids: 'all', users: emails }
    // Accounts chosen individually may have any parent.
    const paids: SharedWith['paids'] = accounts.choice === 'custom' ? 'all' : [sharer.parent]
    return { paids, aids: idsOf(accounts, sharer.account), users: emails }
  }
  return { paids: idsOf(parents, sharer.parent), aids: idsOf(accounts, sharer.account), users: emails }
}

const Custom = (check: z.ZodType<string[]>) =>
  z
    .object({ choice: z.enum(['all', 'current', 'custom', 'parent']), custom: z.array(z.string()) })
    .superRefine(({ choice, custom }, context) => {
      if (choice !== 'custom') return
      const read = check.safeParse(custom)
      if (!read.success)
        context.addIssue({ code: 'custom', message: read.error.issues[0]?.message ?? messages.invalid })
    })

const ids = z
  .array(z.string().regex(/^[1-9]\d{0,9}$/, 'Account ids must be positive integers.'))
  .min(1, messages.required)

const emails = z
  .array(personalAddress(messages.invalid))
  .min(1, messages.required)
  .superRefine((list, context) => {
    const twice = list[repeatedAddresses(list)[0] ?? -1]
    if (twice !== undefined) context.addIssue({ code: 'custom', message: `${twice} is duplicate!` })
  })

/** Rules of the form (specification 4 §5). `notNamed`: the current name, which a copy must not have. */
export function saveSchema(notNamed: string | null) {
  return z.object({
    name: z
      .string()
      .trim()
      .min(1, messages.required)
      .max(100, 'Use at most 100 characters.')
      .refine(
        (name) => notNamed === null || !isSameName(name, notNamed),
        'The new name cannot be the same as the current name!',
      ),
    tags: z.array(z.enum(dashboardTags)).min(1, messages.required),
    parents: Custom(ids),
    accounts: Custom(ids),
    users: Custom(emails),
  })
}

/** The body of a save. */
export function bodyOf(values: SaveValues, sharer: Sharer, definition: string): NewDashboard {
  const { name, tags } = values
  // Validated by the schema.
  return { name: name.trim(), tags: tags as NewDashboard['tags'], sharedWith: sharedWithOf(values, sharer), definition }
}
