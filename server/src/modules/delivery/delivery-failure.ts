import { MailRefused } from '#platform/mail.ts'
import { OutboundRefused } from '#platform/outbound-guard.ts'
import { SecretUnreadable } from '#platform/secrets.ts'
import { FileMissing } from '#platform/storage.ts'

/** An attempt failed for a reason that people are told. `isFinal`: it would fail again until someone changes something. */
export class DeliveryFailed extends Error {
  readonly isFinal: boolean

  constructor(reason: string, isFinal = false) {
    super(reason)
    this.name = 'DeliveryFailed'
    this.isFinal = isFinal
  }
}

const words: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ENOTFOUND: 'There is no host of that name.',
  EAI_AGAIN: 'The name of the host could not be looked up.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ETIMEDOUT: 'No answer came in time.',
  UND_ERR_CONNECT_TIMEOUT: 'No answer came in time.',
  UND_ERR_HEADERS_TIMEOUT: 'No answer came in time.',
  UND_ERR_BODY_TIMEOUT: 'No answer came in time.',
  ECONNRESET: 'The connection was closed before the answer was complete.',
  EPIPE: 'The connection was closed before the answer was complete.',
  UND_ERR_SOCKET: 'The connection was closed before the answer was complete.',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The connection was closed before the answer was complete.',
}

/** Errors that a retry cannot fix. */
const finalErrors = [OutboundRefused, MailRefused, SecretUnreadable, FileMissing]

/** Readable reason of any thrown value. */
export function failureOf(error: unknown): DeliveryFailed {
  const chain = causesOf(error)
  const told = chain.find((each) => each instanceof DeliveryFailed)
  if (told) return told
  const final = chain.find((each) => finalErrors.some((kind) => each instanceof kind))
  if (final) return new DeliveryFailed(final.message, true)
  if (chain.some((each) => each.name === 'TimeoutError')) return new DeliveryFailed('No answer came in time.')
  for (const each of chain) {
    const known = words['code' in each ? String(each.code) : '']
    if (known) return new DeliveryFailed(known)
  }
  return new DeliveryFailed(chain.at(-1)?.message || 'Something went wrong on our side.')
}

/** An error and what caused it, outermost first. Connections tried beside each other fail beside each other. */
function causesOf(error: unknown): Error[] {
  if (!(error instanceof Error)) return [new Error(String(error))]
  const beside = error instanceof AggregateError ? error.errors.slice(0, 1) : []
  const causes = [error.cause, ...beside].filter((cause) => cause !== undefined)
  return [error, ...causes.flatMap(causesOf)]
}
