import { z } from 'zod'
import { defineJob } from '#platform/jobs.ts'

/** Sends somebody an invitation, or tells them of a new account when they have a password already. Holds no secret. */
export const sendInvitationJob = defineJob({
  name: 'send-invitation',
  data: z.object({
    personId: z.uuid(),
    /** Null for an identity in all accounts. */
    account: z.number().int().nullable(),
    /** Who invites: an e-mail, or what part of the portal. */
    by: z.string(),
  }),
  serialKey: ({ personId }) => personId,
  concurrency: 2,
})

/** Sends a link for a new password, if anybody has the e-mail. */
export const sendPasswordLinkJob = defineJob({
  name: 'send-password-link',
  data: z.object({ email: z.string(), address: z.string() }),
  serialKey: ({ email }) => email.toLowerCase(),
  concurrency: 2,
})
