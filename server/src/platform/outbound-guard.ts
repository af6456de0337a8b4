import { type LookupAddress, lookup as resolveName, type LookupOptions } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** An address that this server must not be made to reach. The message is for people. */
export class OutboundRefused extends Error {
  constructor(host: string) {
    super(
      `"${host}" is on a private network, which deliveries cannot reach. An operator can allow it with the setting OUTBOUND_ALLOW.`,
    )
    this.name = 'OutboundRefused'
  }
}

/** Keeps connections that users ask for away from private networks, this machine among them. */
export type OutboundGuard = {
  /** @throws OutboundRefused for an address, written as such, that must not be reached; names pass */
  requireReachable: (host: string) => void
  /** Resolves a name for `net.connect`: to the addresses that may be reached, or to `OutboundRefused`. */
  lookup: LookupFunction
}

/** `allow`: host names, addresses and ranges (CIDR) that may be reached although they are private. */
export function createOutboundGuard(allow: readonly string[]): OutboundGuard {
  const names = new Set(allow.filter((entry) => !isRange(entry)).map((entry) => entry.toLowerCase()))
  const ranges = allow.filter(isRange).map(readRange)
  const isReachable = (host: string, address: string): boolean => {
    if (names.has(host.toLowerCase())) return true
    const read = ipaddr.process(address)
    return ranges.some(([net, bits]) => net.kind() === read.kind() && read.match(net, bits)) || isPublic(read)
  }
  return {
    requireReachable(host) {
      const bare = host.replaceAll(/^\[|\]$/g, '')
      if (isIP(bare) !== 0 && !isReachable(bare, bare)) throw new OutboundRefused(bare)
    },
    // The address that is looked at is the one that is connected to: a name cannot change its mind in between.
    lookup(hostname, options: LookupOptions, done) {
      resolveName(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
        if (error) return done(error, [])
        const reachable = found.filter(({ address }) => isReachable(hostname, address))
        const [first] = reachable
        if (!first) return done(new OutboundRefused(hostname), [])
        if (options.all) done(null, reachable)
        else done(null, first.address, first.family)
      })
    },
  }
}

function isRange(entry: string): boolean {
  return entry.includes('/') || isIP(entry) !== 0
}

function readRange(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (entry.includes('/')) return ipaddr.parseCIDR(entry)
  const address = ipaddr.process(entry)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** Of IPv6 only what is given out to the public internet (2000::/3) and stands for no IPv4 address. */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false
  return address.kind() === 'ipv4' || ((address.toByteArray()[0] ?? 0) & 0xe0) === 0x20
}
