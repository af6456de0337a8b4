import { MailRefused } from '#platform/mail.ts'
import { NoPublicAddress, OutboundRefused } from '#platform/outbound-guard.ts'
import { SecretUnreadable } from '#platform/secrets.ts'
import { FileMissing } from '#platform/storage.ts'

/** A failed attempt with a reason for users. `isFinal`: retrying is useless until someone changes something. */
export class DeliveryFailed extends Error {
  readonly isFinal: boolean

  constructor(reason: string, isFinal = false) {
    super(reason)
    this.name = 'DeliveryFailed'
    this.isFinal = isFinal
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  EAI_AGAIN: 'The DNS lookup of the host failed.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ETIMEDOUT: 'The server did not respond in time.',
  UND_ERR_CONNECT_TIMEOUT: 'The server did not respond in time.',
  UND_ERR_HEADERS_TIMEOUT: 'The server did not respond in time.',
  UND_ERR_BODY_TIMEOUT: 'The server did not respond in time.',
  ECONNRESET: 'The connection was closed before the response was complete.',
  EPIPE: 'The connection was closed before the response was complete.',
  UND_ERR_SOCKET: 'The connection was closed before the response was complete.',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'The connection was closed before the response was complete.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the response are too long.',
}

const reservedPort = 'The port in the URL is reserved for another protocol. Use another port.'

/** Errors that a retry cannot fix. */
const finalErrors = [OutboundRefused, MailRefused, SecretUnreadable, FileMissing]

/** Readable reason of any thrown value. */
export function failureOf(error: unknown): DeliveryFailed {
  const chain = causesOf(error)
  const known = chain.find((each) => each instanceof DeliveryFailed)
  if (known) return known
  const final = chain.find((each) => finalErrors.some((kind) => each instanceof kind))
  if (final) return new DeliveryFailed(final.message, true)
  const unknown = chain.find((each) => each instanceof NoPublicAddress)
  if (unknown) return new DeliveryFailed(unknown.message)
  if (chain.some((each) => each.name === 'TimeoutError'))
    return new DeliveryFailed('The server did not respond in time.')
  if (chain.some(({ name }) => name === 'HTTPParserError')) return new DeliveryFailed('The response is not valid HTTP.')
  if (chain.some(({ message }) => message === 'bad port')) return new DeliveryFailed(reservedPort, true)
  for (const each of chain) {
    const reason = reasons['code' in each ? String(each.code) : '']
    if (reason) return new DeliveryFailed(reason)
  }
  return new DeliveryFailed(chain.at(-1)?.message || 'Something went wrong on our side.')
}

/** An error and its causes, outermost first. Connections tried in parallel fail with an AggregateError; its first error counts. */
function causesOf(error: unknown): Error[] {
  if (!(error instanceof Error)) return [new Error(String(error))]
  const first = error instanceof AggregateError ? error.errors.slice(0, 1) : []
  const causes = [error.cause, ...first].filter((cause) => cause !== undefined)
  return [error, ...causes.flatMap(causesOf)]
}
