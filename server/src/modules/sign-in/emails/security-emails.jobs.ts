import { z } from 'zod'
import { defineJob } from '#platform/jobs.ts'

/** What a person is told of by mail, after it has happened. */
export const securityEvents = [
  'password changed',
  'two-factor turned on',
  'two-factor turned off',
  'recovery codes renewed',
  'recovery code used',
  'signed in on a new device',
] as const

/** Tells a person what was done in their name, so that they notice when it was not them. */
export const sendSecurityEmailJob = defineJob({
  name: 'send-notice',
  data: z.object({
    personId: z.uuid(),
    notice: z.enum(securityEvents),
    at: z.iso.datetime(),
    address: z.string(),
    /** In words; empty when it is not known. */
    device: z.string(),
  }),
  serialKey: ({ personId }) => personId,
  concurrency: 2,
})
