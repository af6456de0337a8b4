import { type Day, days, type Identity, type LimitEffect, NewIdentity } from '@portico/contract/identities'
import { messages } from '@portico/contract/messages'
import type { Group } from '@portico/contract/policies'
import { isEveryone } from './everyone.ts'

export type IdentityValues = {
  email: string
  userName: string
  groups: string[]
  accessToAllSubAccounts: boolean
  days: Day[]
  daysEffect: LimitEffect | null
  hours: number[]
  hoursEffect: LimitEffect | null
  cidr: string
  isDisabled: boolean
}

/** Groups that an identity can be given: admin groups by power admins, the others by power users, never `everyone`. */
export const eligibleGroups = (groups: readonly Group[], mayAdministerAll: boolean): Group[] =>
  groups.filter((group) => group.isAdmin === mayAdministerAll && !isEveryone(group))

export const newIdentityValues: IdentityValues = {
  email: '',
  userName: '',
  groups: [],
  accessToAllSubAccounts: false,
  days: [],
  daysEffect: null,
  hours: [],
  hoursEffect: null,
  cidr: '',
  isDisabled: false,
}

/** The identity as a call that changes nothing of it would send it. */
export function toNewIdentity(identity: Identity): IdentityValues {
  const { email, userName, groups, accessToAllSubAccounts, daysEffect, hours, hoursEffect, cidr, status } = identity
  return {
    email,
    userName: userName ?? '',
    groups: groups.filter((group) => !isEveryone(group)).map(({ _id }) => _id),
    accessToAllSubAccounts,
    days: identity.days,
    daysEffect,
    hours,
    hoursEffect,
    cidr: cidr ?? '',
    isDisabled: status === 'disabled',
  }
}

/** The selection, in order of the week or the clock. */
export const inOrderOfWeek = (chosen: readonly Day[]): Day[] => days.filter((day) => chosen.includes(day))

/** E-mails in lower case of the other identities in the scope of the one that is made or changed. */
export function takenEmails(
  identities: readonly Identity[],
  edited: Identity | null,
  mayAdministerAll: boolean,
): Set<string> {
  const isGlobal = edited ? edited.aid === '*' : mayAdministerAll
  const others = identities.filter(({ _id, aid }) => _id !== edited?._id && (aid === '*') === isGlobal)
  return new Set(others.map(({ email }) => email.toLowerCase()))
}

/** Schema of the form. */
export const identitySchema = (taken: ReadonlySet<string>) =>
  NewIdentity.superRefine(({ email }, context) => {
    if (!taken.has(email.toLowerCase())) return
    context.addIssue({ code: 'custom', path: ['email'], message: messages.duplicateEmail })
  })
