/** Two-letter prefixes of policy names, by service: `cs-imports`, `BI Reports`. */
const labels: Record<string, string> = { bi: 'BI', cs: 'Contact Service', sc: 'Scheduler' }

/** The service of a policy name's prefix; null if it has none. */
export function serviceLabel(name: string): string | null {
  const [, prefix = ''] = /^([a-z]{2})[\s\-_:.]/i.exec(name) ?? []
  return labels[prefix.toLowerCase()] ?? null
}
