import type { Stages } from '@portico/contract/filter'

/** The path of a search. */
export function searchPath(stages: Stages): string {
  const query = stages.length > 0 ? `?${new URLSearchParams({ filter: JSON.stringify(stages) })}` : ''
  return `/contact-service/documents${query}`
}
