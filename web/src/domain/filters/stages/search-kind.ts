import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import type { Sort } from '#lib/api/lists.ts'

/** Stages for the order of a table; none if it has no order. */
export const orderStages = (sort: Sort | null): Pipeline =>
  sort === null ? [] : [{ kind: 'sort', order: { [sort.field]: sort.direction === 'asc' ? 1 : -1 } }]
