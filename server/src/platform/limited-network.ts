import ipaddr from 'ipaddr.js'
import { memoized } from '@portico/domain/memoized'

/** The network that limits apply to: an IPv4 address, or an IPv6 /64, all of which may belong to one machine. */
export const limitedNetwork = memoized(2000, (address) => {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()
})
