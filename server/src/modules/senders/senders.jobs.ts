import { z } from 'zod'
import { defineJob } from '#platform/jobs/jobs.ts'

/** Sends the email that verifies a sender. The job's data contains no secret. */
export const sendSenderLinkJob = defineJob({
  name: 'send-sender-link',
  data: z.object({ account: z.number().int(), senderId: z.uuid() }),
  serialKey: ({ senderId }) => senderId,
  actsWith: { noRight: 'The owner of the mailbox decides, and nothing is sent once the sender is deleted.' },
  rows: [],
  concurrency: 2,
})

/** Emails an account's power users that its daily number of emails has been reached. */
export const sendMailLimitJob = defineJob({
  name: 'send-mail-limit',
  data: z.object({ account: z.number().int(), day: z.string() }),
  serialKey: ({ account }) => String(account),
  actsWith: { noRight: 'The portal tells the power users of the account.' },
  rows: [],
  concurrency: 1,
})
