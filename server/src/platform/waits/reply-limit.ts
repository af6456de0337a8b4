import { AppError } from '../app-error.ts'

const mostMegabytes = 50

/** Maximum bytes of the rows of one reply, which is held in memory. */
export const mostReplyBytes = mostMegabytes * 1024 * 1024

/** Returns the error for a reply that would be larger. */
export function replyTooLarge(): AppError {
  return new AppError(
    'timed_out',
    undefined,
    `This took more than ${mostMegabytes} MB and was stopped. Ask for fewer rows, or for fewer fields.`,
  )
}
