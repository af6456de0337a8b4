import type { ImportPreview, PreviewColumn } from '@portico/contract/import-preview'
import type { MismatchChoice } from '@portico/contract/imports'
import { isSameName } from '@portico/domain/names'
import { Autocomplete, Badge, Button, Checkbox, NativeSelect, Text } from '@mantine/core'
import { useState } from 'react'
import { formatCount, formatNumber } from '#lib/formats.ts'
import {
  type ColumnMapping,
  type ColumnOutcome,
  isSuggested,
  outcomeOf,
  type OutcomeOptions,
  targetOf,
  withTarget,
} from './column-mapping.ts'
import { mismatchTexts } from './new-import-rules.ts'
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
}

const pageSize = 50

/** The columns of the file, each with the field that it feeds and what that changes. */
export function MappingTable(props: MappingTableProps) {
  const { columns } = props.preview
  // A thousand fields to type in would make the dialog slow.
  const [shown, setShown] = useState(pageSize)
  return (
    // Scrolled by the keyboard through the fields in it.
    <div className={css['scroll']}>
      <table className={css['table']} aria-label="File columns">
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Import as</th>
            <th scope="col">What changes</th>
            <th scope="col">Skip</th>
          </tr>
        </thead>
        <tbody>
          {columns.slice(0, shown).map((column, position) => (
            <MappingRow key={column.name} column={column} position={position} {...props} />
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

function MappingRow(props: MappingTableProps & { column: PreviewColumn; position: number }) {
  const { column, position, preview, options, keys, mapping, problems, onChange, onChoice } = props
  const target = targetOf(column, mapping)
  const values = [...new Set(preview.rows.map((row) => row[position] ?? ''))].filter(Boolean).slice(0, 3)
  const change = (to: string | null): void => onChange(withTarget(mapping, column, to))
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
      </td>
      <td className={css['outcome']}>
        <Outcome
          outcome={outcomeOf(column, target, options)}
          field={target ?? ''}
          isKey={keys.some((key) => isSameName(key, column.name) || isSameName(key, target ?? ''))}
          onChoice={onChoice}
        />
      </td>
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

const typeNames = { string: 'text', number: 'number', boolean: 'true or false', date: 'date and time', day: 'date' }

type OutcomeProps = {
  outcome: ColumnOutcome | null
  field: string
  isKey: boolean
  onChoice: MappingTableProps['onChoice']
}

function Outcome({ outcome, ...props }: OutcomeProps) {
  if (outcome === null) return <Text size="xs">Left out</Text>
  return (
    <>
      <Effect {...outcome} />
      {outcome.misfits.cells > 0 && <MisfitChoice outcome={outcome} {...props} />}
    </>
  )
}

/** The cells that do not fit, and what happens to them. A key is never left out: its row would be another contact. */
function MisfitChoice({ outcome, field, isKey, onChoice }: OutcomeProps & { outcome: ColumnOutcome }) {
  const { cells, examples } = outcome.misfits
  const choices = isKey ? (['row', 'text'] as const) : (['cell', 'row', 'text'] as const)
  return (
    <>
      <Text size="xs" mt={4} className={css['misfits'] ?? ''}>
        {`${formatCount(cells, 'cell')} ${cells === 1 ? 'does' : 'do'} not fit: ${examples.join(', ')}${cells > examples.length ? ', …' : ''}`}
      </Text>
      <NativeSelect
        size="xs"
        mt={4}
        aria-label={`Cells that do not fit ${field}`}
        data={choices.map((value) => ({ value, label: mismatchTexts[value] }))}
        value={isKey && outcome.choice === 'cell' ? 'row' : outcome.choice}
        // The options are the choices.
        onChange={(event) => onChoice(field, event.currentTarget.value as MismatchChoice)}
      />
    </>
  )
}

function Effect({ effect, type, before }: ColumnOutcome) {
  if (effect === 'added') {
    return (
      <>
        <Badge color="teal" variant="light">
          New field
        </Badge>
        <Text size="xs">{typeNames[type]}</Text>
      </>
    )
  }
  if (effect === 'kept') return <Text size="xs">{`Existing field, ${typeNames[type]}`}</Text>
  return (
    <>
      <Badge color="orange" variant="light">
        Widened
      </Badge>
      <Text size="xs">{`from ${typeNames[before ?? 'string']} to ${typeNames[type]}`}</Text>
      {before === 'day' && type === 'date' && <Text size="xs">Existing dates become midnight.</Text>}
    </>
  )
}
