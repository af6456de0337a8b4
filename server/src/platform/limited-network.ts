import ipaddr from 'ipaddr.js'
import { memoized } from '@portico/domain/memoized'

/** The network that limits count: an IPv4 address, or the /64 of an IPv6 address, which one machine may have whole. */
export const limitedNetwork = memoized(2000, (address) => {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()
})
