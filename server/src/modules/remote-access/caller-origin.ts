import { readAccessDomain } from '@portico/contract/remote-access/rules'
import ipaddr from 'ipaddr.js'
import { memoized } from '@portico/domain/memoized'
import { registeredDomain } from '#platform/texts/registered-domain.ts'

// The same callers return, and parsing their origins takes a tenth of a call's time.
const mostSenders = 2000

/**
 * A page's origin: host in lower case without brackets, and the port, by default the scheme's. `domain`: see
 * `registeredDomain`.
 */
export type PageOrigin = { text: string; host: string; domain: string | null; port: number; isSecure: boolean }

/**
 * The sender of a call, as identified by its headers and address. `origin` is null if no page is named; `isOpaque`: a
 * page is named, but unreadably. `isPage`: a browser makes the call for a page, named or not.
 */
export type CallSender = {
  origin: PageOrigin | null
  isOpaque: boolean
  hasOrigin: boolean
  isPage: boolean
  address: string
}

/** The headers that identify the sender of a call. */
type CallHeaders = {
  origin?: string | undefined
  referer?: string | undefined
  'sec-fetch-site'?: string | string[] | undefined
}

/** The origin or address from which an access allows calls. `port` null means any. */
export type AllowedSender =
  | { type: 'domain'; host: string; domain: string | null; port: number | null; includeSubDomains: boolean }
  | { type: 'ip'; address: string }

/**
 * Reads the sender of a call. A page is named by `Origin`, or by `Referer` if a browser sends no origin; `Origin: null`
 * and anything that is not a plain origin is opaque. Browsers send `Sec-Fetch-Site` with every call, even with those
 * that name no page, such as a prefetch, whose outcome the page learns. It is `none` when a person opens the address.
 */
export function readSender(headers: CallHeaders, address: string): CallSender {
  const hasOrigin = headers.origin !== undefined
  const named = headers.origin ?? headers.referer
  const isPage = named !== undefined || (headers['sec-fetch-site'] ?? 'none') !== 'none'
  const origin = named === undefined ? null : hasOrigin ? parseOrigin(named) : originOfPage(named)
  const isOpaque = named !== undefined && origin === null
  return { origin, isOpaque, hasOrigin, isPage, address: plainAddress(address) }
}

/**
 * Parses `https://shop.example.com:8443`, with nothing after it and nothing encoded, as browsers write it; null for
 * anything else.
 */
export const parseOrigin = memoized(mostSenders, (text): PageOrigin | null => {
  if (text.length > 300 || !/^https?:\/\/[^/?#@\\%\s,]+$/i.test(text)) return null
  const url = URL.parse(text)
  return url ? toOrigin(url) : null
})

function originOfPage(address: string): PageOrigin | null {
  const url = /^https?:\/\//i.test(address) && address.length <= 8000 ? URL.parse(address) : null
  return url ? toOrigin(url) : null
}

function toOrigin(url: URL): PageOrigin | null {
  // Not the host of any page, though it would count as a sub-domain.
  if (/^\.|\.\./.test(url.hostname)) return null
  const isSecure = url.protocol === 'https:'
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return { text: url.origin, host, domain: registeredDomain(host), port, isSecure }
}

/** An address with IPv4 mapped to IPv6 turned back into IPv4; other texts are unchanged. */
const plainAddress = memoized(mostSenders, (address) =>
  ipaddr.isValid(address) ? ipaddr.process(address).toString() : address,
)

/** The address without its last part, the form stored with events: /24 of IPv4, /48 of IPv6. */
export function truncatedAddress(address: string): string | null {
  if (!ipaddr.isValid(address)) return null
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4'
    ? ipaddr.IPv4.networkAddressFromCIDR(`${parsed.toString()}/24`).toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/48`).toString()
}

/** Parses the setting of an access, which was validated when it was saved. */
export function allowedSender(setting: {
  type: 'domain' | 'ip'
  domainOrIp: string
  includeSubDomains: boolean
}): AllowedSender {
  if (setting.type === 'ip') return { type: 'ip', address: plainAddress(setting.domainOrIp) }
  // No origin has this host.
  const { host, port } = readAccessDomain(setting.domainOrIp) ?? { host: '?', port: null }
  return {
    type: 'domain',
    host,
    domain: registeredDomain(host),
    port,
    includeSubDomains: setting.includeSubDomains,
  }
}

/**
 * Whether pages of a host may call without encryption: the connection is local, or the host cannot have a certificate.
 */
export const mayBeInsecure = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || ipaddr.isValid(host)

/**
 * How closely an access names the sender; null if it does not let the sender in. Larger is closer: the exact host
 * before its sub-domains, longer hosts before shorter ones, a domain before an address.
 */
export function closeness(allowed: AllowedSender, sender: CallSender): number | null {
  if (allowed.type === 'ip') {
    // A page opened at that address must not read through its visitor's browser.
    return !sender.isPage && sender.address === allowed.address ? 0 : null
  }
  const { origin } = sender
  if (!origin || (!origin.isSecure && !mayBeInsecure(origin.host))) return null
  if (allowed.port !== null && allowed.port !== origin.port) return null
  if (origin.host === allowed.host) return exactBonus + allowed.host.length
  // Between a host such as `amazonaws.com` and a page below it, another owner may have registered a name.
  const isOfOwner = origin.domain === null || origin.domain === allowed.domain
  const isBelow = allowed.includeSubDomains && isOfOwner && origin.host.endsWith(`.${allowed.host}`)
  return isBelow ? allowed.host.length : null
}

// Larger than the length of any host.
const exactBonus = 1000
