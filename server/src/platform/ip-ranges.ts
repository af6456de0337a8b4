import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Returns a function that checks whether an IP address is one of these addresses or within one of these ranges (CIDR).
 */
export function createIpRanges(entries: readonly string[]): (address: string) => boolean {
  const ranges = entries.map(readRange)
  return (address) => {
    if (!ipaddr.isValid(address)) return false
    const read = ipaddr.process(address)
    return ranges.some(([net, bits]) => net.kind() === read.kind() && read.match(net, bits))
  }
}

/** Returns whether an entry of a setting is an address or a range, not a host name. */
export function isIpRange(entry: string): boolean {
  return entry.includes('/') || isIP(entry) !== 0
}

function readRange(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (entry.includes('/')) return ipaddr.parseCIDR(entry)
  const address = ipaddr.process(entry)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}
