import type { LookupOptions } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { canonicalHost } from '@portico/contract/hosts'
import ipaddr from 'ipaddr.js'
import { hasCode } from './embedded-postgres/account.ts'
import { createIpRanges, isIpRange } from './ip-ranges.ts'
import { type Asker, type Lookups, lookups } from './waits/name-lookups.ts'

/** An address on a private network, which users must not reach through this server. The message is for users. */
export class OutboundRefused extends Error {
  constructor(host: string) {
    super(
      `"${host}" is on a private network, which the portal does not connect to. An operator can allow it with the setting OUTBOUND_ALLOW.`,
    )
    this.name = 'OutboundRefused'
  }
}

/**
 * A name that does not exist, or that leads to a private network. It does not say which, as users would learn the names
 * of the operator's network. The message is for users.
 */
export class NoPublicAddress extends Error {
  constructor(host: string) {
    super(
      `There is no host "${host}" on the internet. Check its name. A host inside the operator's own network has to be allowed with the setting OUTBOUND_ALLOW.`,
    )
    this.name = 'NoPublicAddress'
  }
}

/** Keeps connections on behalf of users away from private networks and this machine. */
export type OutboundGuard = {
  /** @throws OutboundRefused for a literal IP address that must not be reached; host names pass */
  requireReachable: (host: string) => void
  /**
   * Returns how `net.connect` resolves a host name to its allowed addresses. Fails with `NoPublicAddress` if there are
   * none, and when the signal aborts.
   */
  lookupFor: (asker: Asker, signal: AbortSignal) => LookupFunction
}

/** `allow`: host names, addresses and ranges (CIDR) that are allowed although they are private. */
export function createOutboundGuard(allow: readonly string[], lookUp: Lookups = lookups): OutboundGuard {
  const names = new Set(allow.filter((entry) => !isIpRange(entry)).map(canonicalHost))
  const isAllowed = createIpRanges(allow.filter(isIpRange))
  const isReachable = (host: string, address: string): boolean => {
    if (names.has(canonicalHost(host))) return true
    return isAllowed(address) || isPublic(ipaddr.process(address))
  }
  // Checks the addresses that are used for the connection: DNS cannot change in between (DNS rebinding).
  const reachableOf = callbackify(async (hostname: string, asker: Asker, signal: AbortSignal) => {
    try {
      const found = await lookUp(hostname, asker, signal)
      return found.filter(({ address }) => isReachable(hostname, address))
    } catch (error) {
      throw hasCode(error, 'ENOTFOUND') ? new NoPublicAddress(hostname) : error
    }
  })
  return {
    requireReachable(host) {
      const bare = host.replaceAll(/^\[|\]$/g, '')
      if (isIP(bare) !== 0 && !isReachable(bare, bare)) throw new OutboundRefused(bare)
    },
    lookupFor: (asker, signal) => (hostname, options: LookupOptions, done) => {
      reachableOf(hostname, asker, signal, (error, reachable) => {
        const [first] = reachable ?? []
        if (error || !first) return done(error ?? new NoPublicAddress(hostname), [])
        if (options.all) done(null, reachable)
        else done(null, first.address, first.family)
      })
    },
  }
}

/** For IPv6, true only within the public internet (2000::/3), excluding forms that embed an IPv4 address. */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || ((address.toByteArray()[0] ?? 0) & 0xe0) === 0x20
}
