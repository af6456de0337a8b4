import { type Account, NewAccount } from '@portico/contract/accounts'
import { Email } from '@portico/contract/email-schemas'
import { messages } from '@portico/contract/messages'
import { foldName } from '@portico/domain/names'
import { z } from 'zod'

/** Values of the form; an existing account keeps its parent and first power user. */
export type AccountValues = { name: string; parent: string | null; timeZone: string; powerUser: string }

export const valuesOf = (account: Account | null): AccountValues => ({
  name: account?.Value ?? '',
  parent: account?.parent ? String(account.parent.Key) : null,
  timeZone: account?.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  powerUser: '',
})

/** The server's rules, and that no other account has the name. `own`: the edited account's name, which it may keep. */
export function accountSchema(others: Account[], own: string | null) {
  const taken = new Set(others.map(({ Value }) => foldName(Value)))
  if (own !== null) taken.delete(foldName(own))
  return z.object({
    name: NewAccount.shape.name.refine((name) => !taken.has(foldName(name)), messages.duplicate),
    parent: z.string().nullable(),
    timeZone: NewAccount.shape.timeZone,
    powerUser: z.string().superRefine((text, context) => {
      const { error } = text.trim() === '' ? {} : Email.safeParse(text)
      for (const { message } of error?.issues ?? []) context.addIssue({ code: 'custom', message })
    }),
  })
}

export const toNewAccount = ({ name, parent, timeZone, powerUser }: AccountValues): NewAccount => ({
  name: name.trim(),
  parent: parent === null ? null : Number(parent),
  timeZone,
  ...(powerUser.trim() && { powerUser: powerUser.trim() }),
})

/** All time zones this browser knows, and the zone that is set if it is not among them, sorted by name. */
export function timeZones(set: string): string[] {
  return [...new Set(['UTC', set, ...Intl.supportedValuesOf('timeZone')])].toSorted()
}
