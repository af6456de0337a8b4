// Provided by browsers and Node.js; the contract loads the types of neither.
declare const URL: new (text: string) => { hostname: string }

/**
 * Returns a host as browsers and the portal's connections name it: ASCII by UTS 46, in lower case, addresses in their
 * shortest form, without brackets and a final dot. Null for a text that is not a host, such as one with a port.
 */
export function parseHost(text: string): string | null {
  // Rules out texts that would be read as another part of a URL. Only IPv6 addresses have colons.
  if (!/^\[?[\p{L}\p{M}\p{N}._:-]+\]?$/u.test(text)) return null
  const bare = text.replaceAll(/^\[|\]$/g, '')
  try {
    const { hostname } = new URL(`http://${bare.includes(':') ? `[${bare}]` : bare}/`)
    return mappedAddress(hostname.replaceAll(/^\[|\]$|\.$/g, ''))
  } catch {
    return null
  }
}

/** An IPv4 address in IPv6 notation (`::ffff:7f00:1`) leads to the same server. */
function mappedAddress(host: string): string {
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(host) ?? []
  if (high === undefined || low === undefined) return host
  return [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]).join('.')
}

/** Like `parseHost`, but null for a text that becomes another host each time it is read (`1..`, `1.`, `0.0.0.1`). */
export function steadyHost(text: string): string | null {
  const host = parseHost(text)
  return host !== null && parseHost(host) === host ? host : null
}

/** Returns the form in which hosts are compared and stored. Other texts are returned unchanged. */
export const canonicalHost = (text: string): string => steadyHost(text) ?? text
