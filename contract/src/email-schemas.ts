import { withoutOuterSpace } from '@portico/domain/white-space'
import { z } from 'zod'
import { type EmailAddress, mostTyped, readEmailAddress, readPersonalAddress } from './email-address.ts'
import { messages } from './messages.ts'

// Separate from the functions, which the shell of the web app uses without loading schemas.

/** A person's address, parsed to the form used for sending. `message` is for texts that do not even resemble one. */
export const personalAddress = (message: string) => parsedTo('address', message)

/** The same, parsed to its key. */
export const personalKey = (message: string) => parsedTo('key', message)

// Checks rather than a transformation, which the description of the API could not show.
const parsedTo = (part: keyof EmailAddress, message: string) =>
  z
    .string()
    .max(mostTyped, { message, abort: true })
    .superRefine((text, context) => {
      const read = readPersonalAddress(text)
      if ('problem' in read) context.addIssue({ code: 'custom', message: read.problem ?? message })
    })
    .overwrite((text) => {
      const read = readEmailAddress(text)
      return 'key' in read ? read[part] : text
    })

/** An address in a form where it is required. */
export const Email = z
  .string()
  .overwrite(withoutOuterSpace)
  .min(1, { message: messages.required, abort: true })
  .pipe(personalAddress(messages.invalid))
