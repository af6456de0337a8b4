import { parse } from 'tldts'

/**
 * The domain that one owner has registered, with all names below it, as the Public Suffix List knows: `example.co.uk` for
 * `shop.example.co.uk`. A suffix such as `com` or `github.io` has none below it and stands for itself. Null for addresses, and
 * for names that the list does not have, such as `localhost` or those of a private network.
 */
export const registeredDomain = (host: string): string | null => {
  const { domain, isIcann, isPrivate } = parse(host, { allowPrivateDomains: true })
  return isIcann === true || isPrivate === true ? (domain ?? host) : null
}
