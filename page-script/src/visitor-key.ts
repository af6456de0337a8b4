/** A page's address, or a part of it in tests. */
type Address = Pick<Location, 'hostname' | 'pathname' | 'search'>

/**
 * Returns the columns and values that identify the visitor, in the form of the portal's public calls. Null if the
 * address has no value for one of the columns.
 */
export function readVisitorKey({ key, from, key2, from2 }: DOMStringMap, address: Address): URLSearchParams | null {
  const query = new URLSearchParams()
  const columns = [[key || 'purl', from]]
  if (key2) columns.push([key2, from2])
  for (const [column = '', source] of columns) {
    const value = valueOf(column, source, address)?.trim()
    if (!value) return null
    query.set(column, value)
  }
  return query
}

function valueOf(column: string, source: string | undefined, { hostname, pathname, search }: Address): string | null {
  if (source === 'path') return segmentsOf(pathname).pop() ?? null
  if (source === 'subdomain') return subdomainOf(hostname)
  const inQuery = queryValue(source ? source.replace('query:', '') : column, search)
  return inQuery ?? (!source && column === 'purl' ? valueOf(column, 'path', { hostname, pathname, search }) : null)
}

/**
 * A value of the query. A plus sign is a space there, as forms send it, but many programs put email addresses and phone
 * numbers into links unencoded: in these it is kept.
 */
function queryValue(name: string, search: string): string | null {
  const values = [...new URLSearchParams(search)]
  const at = values.findIndex(([each]) => each === name)
  const value = values[at]?.[1] ?? null
  if (value === null) return null
  const withPlus = [...new URLSearchParams(search.replaceAll('+', '%2B'))][at]?.[1] ?? value
  if (withPlus.includes('@')) return withPlus
  return /^\+\d/.test(withPlus) ? `+${value.slice(1)}` : value
}

function subdomainOf(hostname: string): string | null {
  const [first = '', ...rest] = hostname.split('.')
  // `anna.localhost` works during development; `shop.com` and IP addresses have no sub-domain.
  const isBelow = rest.length > 1 || rest[0] === 'localhost'
  return isBelow && first !== 'www' && !/^[\d.]+$/.test(hostname) ? first : null
}

/** Returns the path without the visitor's own values: the same page has the same path for all visitors. */
export function sharedPath(pathname: string, key: URLSearchParams): string {
  const values = [...key.values()]
  return `/${segmentsOf(pathname)
    .filter((segment) => !values.includes(segment))
    .join('/')}`
}

function segmentsOf(pathname: string): string[] {
  return pathname.split('/').filter(Boolean).map(decode)
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    // A lone percent sign.
    return segment
  }
}
