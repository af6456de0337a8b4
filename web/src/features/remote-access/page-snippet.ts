/** Escapes text for HTML, including quoted attributes. */
function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

/** The origin of a page of the domain. Pages are let in by https only, except on this machine and at IP addresses. */
export function originOf(domain: string): string {
  const host = domain.trim()
  if (host === '') return ''
  const isPlain = /^(localhost|[\d.]+)(:\d+)?$/i.test(host)
  return `${isPlain ? 'http' : 'https'}://${host}`
}

type Place = {
  /** The portal's origin. */
  origin: string
  account: number
  /** Authentication columns. */
  columns: readonly string[]
}

const publicPath = '/api/contact-service/v1/public'

/** The page script with the elements it fills: the first public columns. */
export function pageSnippet({ origin, account, columns }: Place, publicColumns: readonly string[]): string {
  const attributes = [
    `src="${escapeHtml(`${origin}${publicPath}/portico.js`)}"`,
    `data-account="${account}"`,
    ...columns.map((name, index) => `data-key${index === 0 ? '' : index + 1}="${escapeHtml(name)}"`),
  ]
  const [first, ...others] = publicColumns.slice(0, 3).map(escapeHtml)
  return [
    `<script async ${attributes.join(' ')}></script>`,
    ...(first === undefined ? [] : [`<p>Hello <span data-portico="${first}">there</span></p>`]),
    ...others.map((name) => `<p data-portico-if="${name}" hidden>${name}: <span data-portico="${name}"></span></p>`),
  ].join('\n')
}

/** How a page identifies its visitor's contact. */
export function visitorHint(columns: readonly string[]): string {
  const query = columns.map((name) => `${encodeURIComponent(name)}=…`).join('&')
  const isPurl = columns.length === 1 && columns[0] === 'purl'
  return isPurl
    ? `Visitors are known by the PURL at the end of the page's path, or by ?${query} in its address.`
    : `Visitors are known by ?${query} in the page's address.`
}

/** The call of a program at an IP address. */
export function programSnippet({ origin, account, columns }: Place): string {
  const query = columns.map((name) => `${encodeURIComponent(name)}=`).join('&')
  return `curl '${origin}${publicPath}/${account}/offers?${query.replaceAll("'", '%27')}'`
}
