import { z } from 'zod'
import { AccountEntry } from './accounts.ts'
import { ApiCredential, identitiesApi } from './identities.ts'
import type { Route } from './route.ts'

/** An identity that the caller was invited to and has neither accepted nor declined. */
export const OwnInvitation = z.object({
  /** The identity's id. */
  _id: z.string(),
  /** Null for all accounts. */
  account: AccountEntry.nullable(),
  /**
   * In words, for the start of a sentence: an email, or the program that sent the invitation; null for the operator.
   */
  invitedBy: z.string().nullable(),
})
export type OwnInvitation = z.output<typeof OwnInvitation>

/** The API credentials of one of the caller's identities. */
export const OwnCredentials = z.object({
  /** The identity's id. */
  _id: z.string(),
  /** Null for all accounts. */
  account: AccountEntry.nullable(),
  apiCredentials: z.array(ApiCredential),
})
export type OwnCredentials = z.output<typeof OwnCredentials>

const path = '/identity/v1/profile'
const params = z.object({ id: z.string() })

/** Calls about the caller's own identities: invitations to accept, and API credentials. */
export const ownIdentitiesApi = {
  listOwnInvitations: {
    method: 'GET',
    path: `${path}/invitations`,
    summary: 'List the invitations that wait for your answer, oldest first',
    access: 'self',
    reply: z.array(OwnInvitation),
  },
  acceptInvitation: {
    method: 'POST',
    path: `${path}/invitations/:id`,
    summary: 'Accept an invitation: its account becomes one of yours',
    access: 'self',
    stores: { what: 'access', does: 'accept invitations' },
    params,
    reply: z.null(),
    status: 204,
    errors: ['not_found'],
  },
  /** Deletes the identity. */
  declineInvitation: {
    method: 'DELETE',
    path: `${path}/invitations/:id`,
    summary: 'Decline an invitation',
    access: 'self',
    stores: false,
    params,
    reply: z.null(),
    status: 204,
    errors: ['not_found'],
  },
  listOwnCredentials: {
    method: 'GET',
    path: `${path}/credentials`,
    summary: 'List your identities with their API credentials, by account',
    access: 'self',
    reply: z.array(OwnCredentials),
  },
  /** Like `changeCredential`, for the caller's own identity. */
  changeOwnCredential: {
    method: 'PUT',
    path: `${path}/credentials/:id/:action/:credentialId`,
    summary: 'Add, deactivate, reactivate or delete one of your API credentials',
    access: 'self',
    stores: {
      what: 'access',
      does: 'make API credentials or switch them on',
      onlyWith: { action: ['addapi', 'reactiveapi'] },
    },
    params: identitiesApi.changeCredential.params,
    body: identitiesApi.changeCredential.body,
    reply: OwnCredentials.pick({ _id: true, apiCredentials: true }),
    errors: ['not_found', 'limit_reached', 'password_needed', 'two_factor_needed'],
  },
} as const satisfies Record<string, Route>
