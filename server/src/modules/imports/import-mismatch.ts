import { mismatchChoice } from '@portico/contract/import-preview'
import type { MismatchChoice } from '@portico/contract/imports'
import type { ContactField } from '#contacts'
import type { ImportPlan, PlannedMisfits } from './import-plan.ts'
import type { ImportRow } from './imports.queries.ts'
import { refuseMisfits, type StrictColumn } from './reading/misfit-cells.ts'
import type { RefuseRow } from './reading/row-refusal.ts'

type NamedColumn = { position: number; field: { name: string } }

/**
 * The columns that feed fields which contacts have already, and that are no texts, by what happens to cells that do not fit.
 * A cell of a dedup column sets its row aside: without it, the row would be the row of another contact, or of none.
 */
export function strictColumns(
  row: Pick<ImportRow, 'on_mismatch' | 'on_mismatch_by_field'>,
  named: readonly NamedColumn[],
  find: (name: string) => ContactField | undefined,
  dedup: readonly NamedColumn[],
): PlannedMisfits {
  const choices = { onMismatch: row.on_mismatch, onMismatchByField: row.on_mismatch_by_field ?? {} }
  const keys = new Set(dedup.map(({ position }) => position))
  const found = named.flatMap(({ position, field: { name } }) => {
    const field = find(name)
    if (!field || field.type === 'string') return []
    const choice = mismatchChoice(choices, name)
    return [{ position, type: field.type, choice: choice === 'cell' && keys.has(position) ? 'row' : choice }]
  })
  const chosen = (choice: MismatchChoice): StrictColumn[] =>
    found.filter((column) => column.choice === choice).map(({ position, type }) => ({ position, type }))
  return { cells: chosen('cell'), rows: chosen('row') }
}

/** The check of the rows by which a plan numbers them, as an option of their readers. */
export function refusalOf({ header }: Pick<ImportRow, 'header'>, { misfits }: ImportPlan): { refuse?: RefuseRow } {
  return misfits && misfits.rows.length > 0 ? { refuse: refuseMisfits(header, misfits.rows) } : {}
}
