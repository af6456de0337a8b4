import ipaddr from 'ipaddr.js'

/** The network that limits count: an IPv4 address, or the /64 of an IPv6 address, which one machine may have whole. */
export function limitedNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()
}
