import type { ImportPreview, PreviewColumn } from '@portico/contract/import-preview'
import type { ColumnReading, MismatchChoice } from '@portico/contract/imports'
import { isSameName } from '@portico/domain/names'
import { Autocomplete, Button, Checkbox } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import { formatNumber } from '#lib/formats.ts'
import {
  type ColumnMapping,
  isSuggested,
  outcomeOf,
  type OutcomeOptions,
  targetOf,
  withTarget,
} from './column-mapping.ts'
import { ColumnOutcomeCell } from './column-outcome.tsx'
import css from './preview-tab.module.css'

type MappingTableProps = {
  preview: ImportPreview
  options: OutcomeOptions
  /** Columns or fields by which contacts are matched. */
  keys: readonly string[]
  mapping: ColumnMapping
  problems: Record<string, string>
  onChange: (mapping: ColumnMapping) => void
  onChoice: (field: string, choice: MismatchChoice) => void
  onReading: (column: string, reading: ColumnReading) => void
}

const pageSize = 50

/** The columns of the file, each with the field that it feeds and the effect. */
export function MappingTable(props: MappingTableProps) {
  const { columns } = props.preview
  // A thousand inputs would make the dialog slow.
  const [shown, setShown] = useState(pageSize)
  const isNarrow = useMediaQuery('(max-width: 640px)', undefined, { getInitialValueInEffect: false })
  return (
    // The fields in it let the keyboard scroll it.
    <div className={css['scroll']}>
      <table className={css['table']} aria-label="File columns">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Import as</th>
            {!isNarrow && <th scope="col">What changes</th>}
            <th scope="col">Skip</th>
          </tr>
        </thead>
        <tbody>
          {columns.slice(0, shown).map((column, position) => (
            <MappingRow key={column.name} {...{ column, position, isNarrow }} {...props} />
          ))}
        </tbody>
      </table>
      {columns.length > shown && (
        <Button variant="subtle" fullWidth onClick={() => setShown(shown + pageSize)}>
          {`Show more of the ${formatNumber(columns.length)} columns`}
        </Button>
      )}
    </div>
  )
}

/** `isNarrow`: what changes is below the field, as a phone has no place beside it. */
type MappingRowProps = MappingTableProps & { column: PreviewColumn; position: number; isNarrow: boolean }

function MappingRow(props: MappingRowProps) {
  const { column, position, isNarrow, preview, options, keys, mapping, problems } = props
  const { onChange, onChoice, onReading } = props
  const target = targetOf(column, mapping)
  const values = [...new Set(preview.rows.map((row) => row[position] ?? ''))].filter(Boolean).slice(0, 3)
  const change = (to: string | null): void => onChange(withTarget(mapping, column, to))
  const outcome = (
    <ColumnOutcomeCell
      column={column}
      outcome={outcomeOf(column, target, options)}
      field={target ?? ''}
      isKey={keys.some((key) => isSameName(key, column.name) || isSameName(key, target ?? ''))}
      onChoice={onChoice}
      onReading={onReading}
    />
  )
  return (
    <tr>
      <th scope="row">
        {column.name}
        <span className={css['values']} title={values.join(', ')}>
          {values.length > 0 ? values.join(', ') : 'no values'}
        </span>
      </th>
      <td className={css['target']}>
        <Autocomplete
          aria-label={`Import ${column.name} as`}
          data={options.fields.map(({ name }) => name)}
          limit={30}
          value={target ?? ''}
          placeholder={target === null ? 'Left out' : ''}
          disabled={target === null}
          error={problems[column.name]}
          maxLength={200}
          onChange={change}
        />
        {isSuggested(column, mapping) && (
          <Button variant="subtle" size="compact-xs" mt={2} onClick={() => change(column.suggestion.name)}>
            {`Use ${column.suggestion.name}`}
          </Button>
        )}
        {isNarrow && <div className={css['below']}>{outcome}</div>}
      </td>
      {!isNarrow && <td className={css['outcome']}>{outcome}</td>}
      <td className={css['skip']}>
        <Checkbox
          aria-label={`Skip ${column.name}`}
          checked={target === null}
          error={target === null ? problems[column.name] !== undefined : false}
          onChange={(event) => change(event.currentTarget.checked ? null : column.name)}
        />
      </td>
    </tr>
  )
}
