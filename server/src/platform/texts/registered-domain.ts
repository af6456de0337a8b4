import { parse } from 'tldts'

/**
 * Returns the domain that one owner has registered together with all names below it, according to the Public Suffix
 * List: `example.co.uk` for `shop.example.co.uk`. A suffix such as `com` or `github.io` has no registered domain and is
 * returned as it is. Null for addresses, and for names that are not in the list, such as `localhost` or those of a
 * private network.
 */
export const registeredDomain = (host: string): string | null => {
  const { domain, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true })
  return isIcann === true || isPrivate === true ? (domain ?? host) : null
}
