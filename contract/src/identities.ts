import { z } from 'zod'
import { Email } from './email-schemas.ts'
import { Stages } from './filter.ts'
import { messages } from './messages.ts'
import { Instant } from './jobs.ts'
import { Group, Policy } from './policies.ts'
import type { Route } from './route.ts'
import { RowRule } from './row-rules.ts'
import { Version, versionOfChange } from './versions.ts'

export const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export const Day = z.enum(days)
export type Day = z.output<typeof Day>

/** Whether a limit lists when access is given (`in`) or when it is refused (`nin`). */
export const LimitEffect = z.enum(['in', 'nin'])
export type LimitEffect = z.output<typeof LimitEffect>

export const maxCredentials = 5

const ipv4 = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)){3}`
const cidr4 = new RegExp(`^${ipv4}(?:/(?:3[0-2]|[12]?\\d))?$`)

/** Returns whether a text is an address or a range of them: IPv4 with /0-32, or IPv6 with /0-128. */
export function isCidr(text: string): boolean {
  if (cidr4.test(text)) return true
  const [address = '', bits, ...rest] = text.split('/')
  if (rest.length > 0 || (bits !== undefined && !/^(12[0-8]|1[01]\d|[1-9]?\d)$/.test(bits))) return false
  return z.ipv6().safeParse(address).success
}

/** Returns whether a text is one IPv4 address, or the machine itself (`::1`). */
export const isAddress = (text: string): boolean => new RegExp(`^${ipv4}$`).test(text) || text === '::1'

/** Prefix for the name of a service identity wherever callers are named by email, such as the audit log. */
export const servicePrefix = 'service:'

/** The name of a service identity. Must not contain `@`, which keeps it distinct from an email. */
export const ServiceName = z
  .string()
  .trim()
  .min(1, messages.required)
  .max(50, messages.max50)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._()-]*$/u, 'Use letters, digits, spaces, dots, dashes, underscores and brackets.')

/** Created by the server, which returns the secret only in the reply to that call. */
export const ApiCredential = z.object({
  /** The identity's id, a dash, and the credential's number. */
  _id: z.string(),
  name: z.string(),
  accessKey: z.string(),
  secretKey: z.string().optional(),
  isActive: z.boolean(),
  createdAt: Instant,
  lastUsedAt: Instant.nullable(),
  /** It no longer authenticates after this moment; null means never. */
  expiresAt: Instant.nullable(),
  /** The caller who created it: an email or a service identity; null if unknown. */
  createdBy: z.string().nullable(),
  /** An administrator has deactivated this credential of a person: only an administrator can reactivate it. */
  isBlocked: z.boolean(),
})
export type ApiCredential = z.output<typeof ApiCredential>

/** Describes an API credential to add. Without a name it is called "Key N"; without `expiresAt` it never expires. */
export const NewCredential = z.strictObject({
  name: z.string().trim().min(1, messages.required).max(50, messages.max50).optional(),
  expiresAt: Instant.nullish(),
})
export type NewCredential = z.input<typeof NewCredential>

export const IdentityStatus = z.enum(['invited', 'active', 'disabled'])
export type IdentityStatus = z.output<typeof IdentityStatus>

export const Identity = z.object({
  _id: z.string(),
  version: Version,
  /** The account, or '*' for a global identity. */
  aid: z.union([z.literal('*'), z.number()]),
  /** A service identity is for a program: it has no person, password or email. */
  kind: z.enum(['person', 'service']),
  /** For a service identity: its name in the audit log, such as `service:Nightly sync`. */
  email: z.string(),
  /** Null for a person's identity. */
  serviceName: z.string().nullable(),
  userName: z.string().nullable(),
  groups: z.array(
    Group.pick({ _id: true, name: true, isAdmin: true, ownerPaid: true }).extend({
      policies: z.array(Policy.pick({ _id: true, name: true })),
    }),
  ),
  accessToAllSubAccounts: z.boolean(),
  /** At least one credential is active and has not expired. */
  hasApiAccess: z.boolean(),
  apiCredentials: z.array(ApiCredential),
  days: z.array(Day),
  daysEffect: LimitEffect.nullable(),
  /** Hours of the day, 0 to 23, in the account's time zone. */
  hours: z.array(z.number()),
  hoursEffect: LimitEffect.nullable(),
  cidr: z.string().nullable(),
  /** `$match` stages for the contacts that it may see. Null for all. */
  rowRule: Stages.nullable(),
  /**
   * `invited` until the person has accepted, and chosen a password if they had none. It grants no access until then.
   */
  status: IdentityStatus,
  /** Whether the caller may change and delete it. */
  canBeChanged: z.boolean(),
  /** The last time the person used it to enter the account; for a global identity, their last sign-in. */
  lastSignInAt: Instant.nullable(),
})
export type Identity = z.output<typeof Identity>

const oneOf = <T>(values: T[]): boolean => new Set(values).size === values.length

export const NewIdentity = z
  .strictObject({
    /** Email of the person. Absent for a service identity. */
    email: Email.optional(),
    /** Creates a service identity of the account, or changes its name; in place of `email`. */
    serviceName: ServiceName.optional(),
    /** Ids of groups whose `isAdmin` is the caller's: admin groups for power admins, the others for power users. */
    groups: z.array(z.string()).min(1, messages.required).max(100),
    accessToAllSubAccounts: z.boolean().default(false),
    /** Sent by older clients. It follows from the credentials and has no effect. */
    hasApiAccess: z.boolean().optional(),
    userName: z.string().trim().max(100).nullish(),
    cidr: z
      .string()
      .trim()
      .refine((text) => text === '' || isCidr(text), messages.invalid)
      .nullish(),
    /** `$match` stages for the contacts that it may see; null or an empty list for all. Unchanged if absent. */
    rowRule: RowRule.optional(),
    days: z.array(Day).max(7).refine(oneOf, messages.duplicate).default([]),
    daysEffect: LimitEffect.nullish(),
    hours: z.array(z.number().int().min(0).max(23)).max(24).refine(oneOf, messages.duplicate).default([]),
    hoursEffect: LimitEffect.nullish(),
    /** A disabled identity cannot be used to sign in; its sessions end at once. */
    isDisabled: z.boolean().default(false),
    /** Sent by older clients; the account is the caller's, or '*' for power admins. */
    aid: z.union([z.literal('*'), z.number()]).optional(),
  })
  .superRefine(({ email, serviceName, days: chosen, daysEffect, hours, hoursEffect }, context) => {
    if (email === undefined && serviceName === undefined)
      context.addIssue({ code: 'custom', message: messages.required, path: ['email'] })
    if (email !== undefined && serviceName !== undefined)
      context.addIssue({ code: 'custom', message: messages.notAllowed, path: ['serviceName'] })
    if (chosen.length > 0 && !daysEffect)
      context.addIssue({ code: 'custom', message: messages.required, path: ['daysEffect'] })
    if (hours.length > 0 && !hoursEffect)
      context.addIssue({ code: 'custom', message: messages.required, path: ['hoursEffect'] })
  })
export type NewIdentity = z.input<typeof NewIdentity>

export const ChangedIdentity = NewIdentity.safeExtend(versionOfChange)
export type ChangedIdentity = z.input<typeof ChangedIdentity>

const params = z.object({ id: z.string() })

export const identitiesApi = {
  listIdentities: {
    method: 'GET',
    path: '/identity/v1/identities',
    summary: 'List the identities of the account by email; for power admins also global ones',
    access: 'administrator',
    action: 'identity::identities::get',
    reply: z.array(Identity),
  },
  getIdentity: {
    method: 'GET',
    path: '/identity/v1/identities/:id',
    summary: 'Get an identity of the account; as a power admin also a global one',
    access: 'administrator',
    action: 'identity::identities::get',
    params,
    reply: Identity,
    errors: ['not_found'],
  },
  /**
   * The person is invited by email. The identity is effective once they have accepted; a service identity at once.
   * Needs a confirmed password, as do sending an invitation again, and changes that hand an identity over, enable it
   * again or give it more.
   */
  createIdentity: {
    method: 'POST',
    path: '/identity/v1/identities',
    summary:
      'Invite a person: globally as a power admin, into the account as a power user; or create a service identity',
    access: 'administrator',
    action: 'identity::identities::post',
    stores: { what: 'access', does: 'invite people or create identities' },
    body: NewIdentity,
    reply: Identity,
    status: 201,
    errors: ['name_taken', 'limit_reached', 'too_many_requests', 'password_needed'],
  },
  updateIdentity: {
    method: 'PUT',
    path: '/identity/v1/identities/:id',
    summary: 'Change an identity, effective immediately',
    access: 'administrator',
    action: 'identity::identities::put',
    stores: { what: 'access', does: 'change identities' },
    params,
    body: ChangedIdentity,
    reply: Identity,
    errors: ['not_found', 'name_taken', 'in_use', 'too_many_requests', 'newer_version', 'password_needed'],
  },
  deleteIdentity: {
    method: 'DELETE',
    path: '/identity/v1/identities/:id',
    summary: 'Delete an identity; its sessions in the account end immediately',
    access: 'administrator',
    action: 'identity::identities::delete',
    stores: false,
    params,
    reply: z.null(),
    status: 204,
    errors: ['not_found', 'in_use'],
  },
  /**
   * `addapi` takes the credential id 0 and returns the new secret, once; only `addapi` takes a body. `addapi` and
   * `reactiveapi` need a confirmed password, and two-factor if an account that the identity opens requires it. Only the
   * person can add and reactivate their credentials: for others it is `not_allowed`. The exception are credentials that
   * an administrator has deactivated, which only administrators can reactivate.
   */
  changeCredential: {
    method: 'PUT',
    path: '/identity/v1/identities/:id/:action/:credentialId',
    summary: 'Add, deactivate, reactivate or delete an API credential',
    access: 'administrator',
    action: 'identity::credentials::put',
    stores: {
      what: 'access',
      does: 'make API credentials or switch them on',
      onlyWith: { action: ['addapi', 'reactiveapi'] },
    },
    params: params.extend({
      action: z.enum(['addapi', 'inactiveapi', 'reactiveapi', 'deleteapi']),
      credentialId: z.string(),
    }),
    body: NewCredential,
    reply: Identity.pick({ _id: true, hasApiAccess: true, apiCredentials: true }),
    errors: ['not_found', 'limit_reached', 'password_needed', 'two_factor_needed'],
  },
  /**
   * Also ends impersonation links that the person has created. Power users end the sessions of their account: the
   * person keeps working in other accounts, and has to sign in again for this one. Power admins end all sessions,
   * everywhere.
   */
  endIdentitySessions: {
    method: 'DELETE',
    path: '/identity/v1/identities/:id/sessions',
    summary: 'Sign a person out of the account, or as a power admin everywhere; they can sign in again',
    access: 'administrator',
    action: 'identity::sessions::delete',
    stores: false,
    params,
    reply: z.object({ ended: z.number() }),
    errors: ['not_found'],
  },
  /** Sends the invitation again; the earlier link stops working. At most 5 an hour to a person. */
  inviteIdentity: {
    method: 'POST',
    path: '/identity/v1/identities/:id/invitation',
    summary: 'Resend the invitation of an identity that was not accepted yet',
    access: 'administrator',
    action: 'identity::identities::post',
    stores: { what: 'access', does: 'invite people' },
    isJudgedAsStored: true,
    params,
    reply: z.null(),
    status: 204,
    errors: ['not_found', 'too_many_requests', 'password_needed'],
  },
} as const satisfies Record<string, Route>
