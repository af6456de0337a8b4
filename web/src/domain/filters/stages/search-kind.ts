import type { Stages } from '@portico/contract/filter'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import type { Sort } from '#lib/api/lists.ts'

/** Parses stages of an address or a saved filter; null for any other text. */
export function readStages(text: string): Stages | null {
  try {
    const value: unknown = JSON.parse(text)
    const isStages = Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null)
    // The contract defines no more than that.
    return isStages ? (value as Stages) : null
  } catch {
    return null
  }
}

/** Stages for the order of a table; none without one. */
export const orderStages = (sort: Sort | null): Pipeline =>
  sort === null ? [] : [{ kind: 'sort', order: { [sort.field]: sort.direction === 'asc' ? 1 : -1 } }]
