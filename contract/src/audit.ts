import { z } from 'zod'
import { Instant } from './jobs.ts'
import { Count } from './list-query.ts'
import type { Route } from './route.ts'

/** How an action was authenticated, or what started it. */
export const viaKinds = [
  'session',
  'credential',
  'impersonation',
  'sign-in',
  'email-link',
  'cron',
  'portal',
  'command-line',
] as const
export type ViaKind = (typeof viaKinds)[number]

/** One line of the audit log: who changed what, when, from where and how. */
export const AuditEntry = z.object({
  _id: z.string(),
  at: Instant,
  /** Email, or the part of the portal that acted by itself. */
  actor: z.string(),
  /** The noun and what happened to it, such as `import created`. */
  action: z.string(),
  /** Name or id of the changed item. */
  subject: z.string(),
  details: z.record(z.string(), z.unknown()),
  address: z.string().nullable(),
  /** How it was done; null in entries of earlier releases. */
  via: z.enum(viaKinds).nullable(),
  /** Name and access key of the API credential, creator of the impersonation link, or name of the cron. */
  viaName: z.string().nullable(),
  /** How many times it happened within the minute: identical failures share an entry. */
  count: z.number(),
  /** Null for changes that concern all accounts. */
  account: z.number().nullable(),
})
export type AuditEntry = z.output<typeof AuditEntry>

/** Search terms; texts match anywhere, in any letter case. */
export const AuditFilter = z.strictObject({
  who: z.string().max(320).optional().describe('Part of the e-mail of who did it.'),
  what: z.string().max(200).optional().describe('Part of the action or of the subject.'),
  via: z.enum(viaKinds).optional().describe('How it was done.'),
  from: Instant.optional().describe('From this moment on.'),
  to: Instant.optional().describe('Before this moment.'),
  /** Power admins may read the log of all accounts, including changes that concern no account. */
  everywhere: z.enum(['true', 'false']).optional(),
})
export type AuditFilter = z.output<typeof AuditFilter>

export const AuditQuery = AuditFilter.extend({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  skip: z.coerce.number().int().min(0).max(100_000).default(0),
  count: z.string().optional().describe('With any value: answer {count} instead of the list.'),
})
export type AuditQuery = z.output<typeof AuditQuery>

export const auditApi = {
  listAudit: {
    method: 'GET',
    path: '/identity/v1/audit',
    summary: 'List or count the audit log entries of the account, newest first',
    access: 'administrator',
    action: 'identity::audit::get',
    query: AuditQuery,
    reply: z.union([z.array(AuditEntry), Count]),
    errors: ['timed_out'],
  },
  exportAudit: {
    method: 'POST',
    path: '/identity/v1/audit/exports',
    summary: 'Export matching entries to a CSV file and return a signed link to it',
    access: 'administrator',
    action: 'identity::audit::get',
    stores: false,
    body: AuditFilter,
    reply: z.object({ url: z.string() }),
  },
} as const satisfies Record<string, Route>
