import { callerKey } from '@portico/contract/email-address'
import { z } from 'zod'
import { defineJob } from '#platform/jobs/jobs.ts'

/** Sends an invitation. The job's data contains no secret. */
export const sendInvitationJob = defineJob({
  name: 'send-invitation',
  data: z.object({
    personId: z.uuid(),
    /** Null for an identity in all accounts. */
    account: z.number().int().nullable(),
  }),
  serialKey: ({ personId }) => personId,
  actsWith: { noRight: 'The invitation is made already, and is not sent once it is deleted.' },
  rows: [],
  concurrency: 2,
})

/** Sends a password reset link if the email is known. */
export const sendPasswordLinkJob = defineJob({
  name: 'send-password-link',
  data: z.object({ email: z.string(), address: z.string() }),
  serialKey: ({ email }) => callerKey(email),
  actsWith: { noRight: 'It goes to the mailbox of the person alone.' },
  rows: [],
  concurrency: 2,
})
