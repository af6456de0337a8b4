import { MailFailed, MailRefused } from '#platform/mail.ts'
import { NoPublicAddress, OutboundRefused } from '#platform/outbound-guard.ts'
import { SecretUnreadable } from '#platform/secrets.ts'
import { FileMissing } from '#platform/storage.ts'
import { DeliveryFailed } from './delivery-failed.ts'

const untrusted = 'The certificate of the server is not from an authority that is trusted.'
const noEncryption = 'The server does not encrypt the connection as HTTPS does. Check host and port.'

const reasons: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  EAI_AGAIN: 'The DNS lookup of the host failed.',
  ETIMEOUT: 'The DNS lookup of the host took too long.',
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
  UND_ERR_RESPONSE: 'The response is not valid HTTP.',
  CERT_HAS_EXPIRED: 'The certificate of the server has expired.',
  CERT_NOT_YET_VALID: 'The certificate of the server is not valid yet.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate of the server is for another host.',
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  EPROTO: noEncryption,
  ERR_SSL_WRONG_VERSION_NUMBER: noEncryption,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noEncryption,
}

const reservedPort = 'The port in the URL is reserved for another protocol. Use another port.'

/** Errors that a retry cannot fix. */
const finalErrors = [OutboundRefused, MailRefused, SecretUnreadable, FileMissing]

/** A readable reason for any thrown value. Messages of libraries are never included: they may repeat a secret. */
export function failureOf(error: unknown): DeliveryFailed {
  const chain = causesOf(error)
  const known = chain.find((each) => each instanceof DeliveryFailed)
  if (known) return known
  const final = chain.find((each) => finalErrors.some((kind) => each instanceof kind))
  if (final) return new DeliveryFailed(final.message, true)
  const unknown = chain.find((each) => each instanceof NoPublicAddress)
  if (unknown) return new DeliveryFailed(unknown.message)
  const mail = chain.find((each) => each instanceof MailFailed)
  if (mail) return new DeliveryFailed(mail.message)
  if (chain.some((each) => each.name === 'TimeoutError'))
    return new DeliveryFailed('The server did not respond in time.')
  if (chain.some(({ name }) => name === 'HTTPParserError')) return new DeliveryFailed('The response is not valid HTTP.')
  if (chain.some(({ message }) => message === 'bad port')) return new DeliveryFailed(reservedPort, true)
  const codes = chain.flatMap(codeOf)
  const code = codes.find((each) => Object.hasOwn(reasons, each)) ?? codes.at(-1)
  if (code === undefined) return new DeliveryFailed('The call failed.')
  return new DeliveryFailed(reasons[code] ?? `The call failed (${code}).`)
}

/** The kind of an error and the place where it was thrown, without its message, for the log of the server. */
export function traceOf(error: unknown): { errors: { name: string; code: string | undefined }[]; at: string[] } {
  const chain = causesOf(error)
  const frames = chain.at(-1)?.stack?.match(/^ {4}at .+$/gm) ?? []
  return { errors: chain.map((each) => ({ name: nameOf(each), code: codeOf(each)[0] })), at: frames.slice(0, 10) }
}

const nameOf = ({ name }: Error): string => (/^\w{1,60}$/.test(name) ? name : 'Error')

/** The code of an error, if it has the form of a code. */
function codeOf(error: Error): string[] {
  const code = 'code' in error ? String(error.code) : ''
  return /^[A-Z\d_]{2,60}$/.test(code) ? [code] : []
}

/**
 * An error and its causes, outermost first. Connections tried in parallel fail with an AggregateError; its first error
 * counts.
 */
function causesOf(error: unknown): Error[] {
  if (!(error instanceof Error)) return [new Error(String(error))]
  const first = error instanceof AggregateError ? error.errors.slice(0, 1) : []
  const causes = [error.cause, ...first].filter((cause) => cause !== undefined)
  return [error, ...causes.flatMap(causesOf)]
}
