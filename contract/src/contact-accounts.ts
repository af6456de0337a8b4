import { z } from 'zod'
import { ImportDefaults, StoredImportDefaults } from './imports.ts'
import type { Route } from './route.ts'
import { versionOfChange } from './versions.ts'

/** The contact configuration of an account: the defaults of its first import, by the account's number. */
export const ContactAccount = StoredImportDefaults.extend({ _id: z.string(), accountId: z.number() })
export type ContactAccount = z.output<typeof ContactAccount>

const params = z.object({ id: z.string() })
const change = {
  access: 'administrator',
  action: 'contact-service::configuration::put',
  stores: { what: 'work', does: 'change settings of the account' },
  reply: ContactAccount,
} as const

/**
 * The calls by which older clients read and write the contents of `/contact-service/v1/configuration` (specification 3
 * §7). They give access to the caller's own account only.
 */
export const contactAccountsApi = {
  getContactAccount: {
    method: 'GET',
    path: '/contact-service/v1/accounts/:id',
    summary: 'Get the contact configuration of the account',
    access: 'contact-service::imports::get',
    params,
    reply: ContactAccount,
    errors: ['not_found'],
  },
  /** Every account has a configuration from the start, so this replaces it. */
  createContactAccount: {
    method: 'POST',
    path: '/contact-service/v1/accounts',
    summary: 'Set the contact configuration of the account',
    ...change,
    body: ImportDefaults.extend({ accountId: z.number().optional() }),
    status: 201,
    errors: ['not_found'],
  },
  updateContactAccount: {
    method: 'PUT',
    path: '/contact-service/v1/accounts/:id',
    summary: 'Change the contact configuration of the account',
    ...change,
    params,
    body: ImportDefaults.extend(versionOfChange),
    errors: ['not_found', 'newer_version'],
  },
} as const satisfies Record<string, Route>
