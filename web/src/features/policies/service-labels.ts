/** Two letters in front of a policy's name that stand for a service: `cs-imports`, `BI Reports`. */
const labels: Record<string, string> = { bi: 'BI', cs: 'Contact Service', sc: 'Scheduler' }

/** The service that the prefix of a policy's name stands for; null when there is none. */
export function serviceLabel(name: string): string | null {
  const [, prefix = ''] = /^([a-z]{2})[\s\-_:.]/i.exec(name) ?? []
  return labels[prefix.toLowerCase()] ?? null
}
