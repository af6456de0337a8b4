import { callerKey } from '@portico/contract/email-address'
import {
  type Day,
  days,
  type Identity,
  type LimitEffect,
  NewIdentity,
  servicePrefix,
} from '@portico/contract/identities'
import type { Stages } from '@portico/contract/filter'
import { messages } from '@portico/contract/messages'
import type { Group } from '@portico/contract/policies'
import { foldName } from '@portico/domain/names'
import { isEveryone } from './everyone.ts'

export type IdentityValues = {
  /** Of a person; undefined for a service identity. */
  email: string | undefined
  /** Of a service identity; undefined for a person. */
  serviceName: string | undefined
  userName: string
  groups: string[]
  accessToAllSubAccounts: boolean
  days: Day[]
  daysEffect: LimitEffect | null
  hours: number[]
  hoursEffect: LimitEffect | null
  cidr: string
  /** The contacts that the identity may see; null for all. */
  rowRule: Stages | null
  isDisabled: boolean
}

/** Groups that an identity can be given: admin groups by power admins, the others by power users, never `everyone`. */
export const eligibleGroups = (groups: readonly Group[], mayAdministerAll: boolean): Group[] =>
  groups.filter((group) => group.isAdmin === mayAdministerAll && !isEveryone(group))

export const newIdentityValues: IdentityValues = {
  email: '',
  serviceName: undefined,
  userName: '',
  groups: [],
  accessToAllSubAccounts: false,
  days: [],
  daysEffect: null,
  hours: [],
  hoursEffect: null,
  cidr: '',
  rowRule: null,
  isDisabled: false,
}

/** The identity as the body of a call that changes nothing. */
export function toNewIdentity(identity: Identity): IdentityValues {
  const { email, serviceName, userName, groups, accessToAllSubAccounts, daysEffect, hours, hoursEffect, cidr, status } =
    identity
  return {
    email: serviceName === null ? email : undefined,
    serviceName: serviceName ?? undefined,
    userName: userName ?? '',
    groups: groups.filter((group) => !isEveryone(group)).map(({ _id }) => _id),
    accessToAllSubAccounts,
    days: identity.days,
    daysEffect,
    hours,
    hoursEffect,
    cidr: cidr ?? '',
    rowRule: identity.rowRule,
    isDisabled: status === 'disabled',
  }
}

/** How lists and dialogs name an identity: by its email, or by the service's name. */
export const identityName = ({ email, serviceName }: Identity): string => serviceName ?? email

/** The selection, in order of the week or of the clock. */
export const inOrderOfWeek = (chosen: readonly Day[]): Day[] => days.filter((day) => chosen.includes(day))

/**
 * Keys of emails, and names of services as in the audit log, of the other identities in the scope of the one being
 * created or changed.
 */
export function takenEmails(
  identities: readonly Identity[],
  edited: Identity | null,
  mayAdministerAll: boolean,
): Set<string> {
  const isGlobal = edited ? edited.aid === '*' : mayAdministerAll
  const others = identities.filter(({ _id, aid }) => _id !== edited?._id && (aid === '*') === isGlobal)
  return new Set(others.map(({ email, kind }) => (kind === 'service' ? foldName(email) : callerKey(email))))
}

/** Schema of the form. */
export const identitySchema = (taken: ReadonlySet<string>) =>
  NewIdentity.superRefine(({ email, serviceName }, context) => {
    if (email !== undefined && taken.has(callerKey(email))) {
      context.addIssue({ code: 'custom', path: ['email'], message: messages.duplicateEmail })
    }
    if (serviceName !== undefined && taken.has(foldName(`${servicePrefix}${serviceName}`))) {
      context.addIssue({ code: 'custom', path: ['serviceName'], message: messages.duplicateService })
    }
  })
