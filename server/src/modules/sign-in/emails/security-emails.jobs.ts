import { z } from 'zod'
import { defineJob } from '#platform/jobs/jobs.ts'

/** Events about which a person gets an email. */
export const securityEvents = [
  'password changed',
  'password reset, passkeys removed',
  'two-factor turned on',
  'two-factor turned off',
  'recovery codes renewed',
  'recovery code used',
  'passkey added',
  'passkey removed',
  'passkey copied',
  'signed in on a new device',
  'password guessed at',
  'API credential created',
  'API credential switched on',
  'impersonation link created',
] as const

/** Notifies a person of a change to their sign-in, so that they notice changes made by others. */
export const sendSecurityEmailJob = defineJob({
  name: 'send-notice',
  data: z.object({
    personId: z.uuid(),
    notice: z.enum(securityEvents),
    at: z.iso.datetime(),
    address: z.string(),
    /** In words; empty when unknown. */
    device: z.string(),
  }),
  serialKey: ({ personId }) => personId,
  actsWith: { noRight: 'It tells a person what happened to their own sign-in.' },
  rows: [],
  concurrency: 2,
})
