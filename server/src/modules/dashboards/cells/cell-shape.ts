import { contactsApi } from '@portico/contract/contacts'
import type { CellChart } from '@portico/contract/dashboards/cell-chart'
import { foldName } from '@portico/domain/names'
import { findGroup, type KnownField, readGrouping, readRowKind } from '@portico/domain/pipeline/grouping'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { AppError } from '#platform/app-error.ts'
import type { Asking } from './cell-plan.ts'
import type { Rows } from './cell-rows.ts'

// Shapes the rows of a cell for its viewer.

/** The fields that the cell shows: keys of its groups, fields that its values are computed from, and columns. */
export function fieldsOf({ filter }: CellChart, stages: Pipeline, fields: readonly KnownField[]): KnownField[] {
  const keys = readGrouping(stages, fields)?.keys.map(({ field }) => field) ?? []
  const paths =
    findGroup(stages)?.group.values.map(({ of }) => (typeof of === 'string' ? of.replace(/^\$/, '') : '')) ?? []
  const shown = new Set([...keys, ...paths, ...(filter?.columns ?? [])].map(foldName))
  return fields
    .filter(({ name }) => shown.has(foldName(name)))
    .map(({ name, type, format }) => ({ name, type, ...(format && { format }) }))
}

/** Removes ids of contacts, with which contacts can be opened, unless the caller may read contacts themselves. */
export function givenTo({ can }: Asking['caller'], stages: Pipeline, rows: Rows): Rows {
  if (readRowKind(stages) === 'groups') return rows
  const opens = (id: unknown) => can(contactsApi.getOffer.access, { params: [id], query: {}, body: undefined })
  const withoutId = ({ _id, ...row }: Rows['rows'][number]) => row
  return { ...rows, rows: rows.rows.map((row) => (opens(row._id) ? row : withoutId(row))) }
}

/** The error of one cell: the rest of the dashboard still works. */
export function toCellError(error: unknown): unknown {
  if (!(error instanceof AppError) || !['invalid_filter', 'row_rule_invalid'].includes(error.code)) return error
  return new AppError('cell_failed', undefined, error.message)
}
