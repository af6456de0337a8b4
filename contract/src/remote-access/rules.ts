import { z } from 'zod'
import { parseHost } from '../hosts.ts'
import { parseJson } from '../json-values.ts'
import { messages } from '../messages.ts'
import { ReadText, readBy } from '../read-text.ts'

/** At most two columns identify a contact (specification 4 §2: one column or a pair "A & B"). */
export const authenticationColumnsAtMost = 2

/** Internal fields that may identify a contact, in addition to imported columns. */
export const internalAuthenticationColumns = ['_id', 'purl'] as const

/** Internal fields that are never public (specification 4 §2). */
export const neverPublicColumns = ['basePurl', 'purlNumber', '_id', 'Import'] as const

/** Maximum latest refused origins that a remote access lists. */
export const refusedOriginsKept = 10

const domainPattern = /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/i
const ipv4Pattern = /^((25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/

/** An IPv4 address in four plain decimal parts, or `::1` (specification 4 §5). */
export function isAccessAddress(text: string): boolean {
  return text === '::1' || ipv4Pattern.test(text)
}

/** Origin of the pages of an access: the host in its one form (`parseHost`). `port` null means any. */
export type AccessDomain = { host: string; port: number | null }

/**
 * Reads a host name, `localhost` or an IPv4 address, each with or without a port (specification 4 §5). No other
 * function does. Null for other texts, and for those that browsers would read as another host.
 */
export function readAccessDomain(text: string): AccessDomain | null {
  const [, written = '', port] = /^([^:]*)(?::(\d{1,5}))?$/.exec(text) ?? []
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return null
  // Only digits and dots: an address or a typing mistake.
  const isHost = /^[\d.]+$/.test(written) ? ipv4Pattern.test(written) : domainPattern.test(written)
  const host = written.toLowerCase()
  if (!isHost || host.length > 253 || parseHost(host) !== host) return null
  return { host, port: port === undefined ? null : Number(port) }
}

/** Returns the text of `domainOrIp` as it is stored and compared; other texts are returned unchanged. */
export function plainDomainOrIp(text: string): string {
  const trimmed = text.trim()
  const domain = readAccessDomain(trimmed)
  if (!domain) return trimmed
  return domain.port === null ? domain.host : `${domain.host}:${domain.port}`
}

/** Returns the problem of `domainOrIp`, as forms and the server report it; null if there is none. */
export function domainOrIpProblem(type: 'domain' | 'ip', text: string): string | null {
  if (text.trim() === '') return messages.required
  const isValid = type === 'ip' ? isAccessAddress(text.trim()) : readAccessDomain(text.trim()) !== null
  return isValid ? null : messages.invalid
}

/** Returns the columns of `filter`, JSON that maps each to its own placeholder: `{"Email":"{{Email}}"}`; else null. */
export function readAuthentication(filter: string): string[] | null {
  let read: unknown
  try {
    read = parseJson(filter)
  } catch {
    return null
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return null
  const entries = Object.entries(read)
  const isPlain = entries.every(([name, value]) => name !== '' && value === `{{${name}}}`)
  return isPlain && entries.length > 0 && entries.length <= authenticationColumnsAtMost
    ? entries.map(([name]) => name)
    : null
}

/** Writes the columns as `readAuthentication` reads them. */
export function writeAuthentication(columns: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(columns.map((name) => [name, `{{${name}}}`])))
}

/** Schema of the text of authentication columns, as `writeAuthentication` writes it. */
export const authenticationText = (schema: z.ZodType<string, string>) =>
  readBy(
    schema.transform((text, context) => {
      const columns = readAuthentication(text)
      if (columns) return writeAuthentication(columns)
      const message = `${messages.invalid} Name one or two columns: {"Email":"{{Email}}"}.`
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }),
    (text) => ReadText.json(JSON.parse(text), text),
  )

const sensitiveName =
  /e-?mail|phone|mobile|\bfax\b|birth|\bdob\b|address|street|\bzip|postal|post ?code|salary|income|passport|\bssn\b|social security|iban|card/i

/** Returns whether a column's name suggests personal data: forms ask before such a column becomes public. */
export function isSensitiveColumn(name: string): boolean {
  return sensitiveName.test(name)
}
