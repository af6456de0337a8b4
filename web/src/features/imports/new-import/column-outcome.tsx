import type { FieldType } from '@portico/contract/contacts'
import type { PreviewColumn } from '@portico/contract/import-preview'
import type { ColumnReading, MismatchChoice } from '@portico/contract/imports'
import { Badge, NativeSelect, Text } from '@mantine/core'
import { formatCount } from '#lib/formats.ts'
import type { ColumnOutcome } from './column-mapping.ts'
import { bestReading, previewedReading, readingKey, readingsOf, readingTexts, typeNames } from './column-reading.ts'
import { mismatchTexts } from './new-import-rules.ts'
import css from './preview-tab.module.css'

type ColumnOutcomeProps = {
  column: PreviewColumn
  outcome: ColumnOutcome | null
  /** Empty if the column is left out. */
  field: string
  /** Contacts are matched by it. */
  isKey: boolean
  onChoice: (field: string, choice: MismatchChoice) => void
  onReading: (column: string, reading: ColumnReading) => void
}

/** The effect of loading a column, the reading of its cells, and the choice for misfits. */
export function ColumnOutcomeCell({ outcome, ...props }: ColumnOutcomeProps) {
  if (outcome === null) return <Text size="xs">{props.field === '' ? 'Left out' : 'Not a field of contacts'}</Text>
  const shown = { outcome, ...props }
  return (
    <>
      <Effect {...outcome} />
      {outcome.effect === 'added' && <TypeChoice {...shown} />}
      <ReadingChoice {...shown} />
      {outcome.misfits.cells > 0 && <MisfitChoice {...shown} />}
    </>
  )
}

type ShownProps = Omit<ColumnOutcomeProps, 'outcome'> & { outcome: ColumnOutcome }

function Effect({ effect, type, before }: ColumnOutcome) {
  if (effect === 'added') {
    return (
      <Badge color="teal" variant="light">
        New field
      </Badge>
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

const types: FieldType[] = ['string', 'number', 'boolean', 'day', 'date']

function TypeChoice({ column, outcome, onReading }: ShownProps) {
  return (
    <NativeSelect
      size="xs"
      mt={4}
      aria-label={`Type of ${column.name}`}
      data={types.map((type) => ({ value: type, label: typeNames[type] }))}
      value={outcome.type}
      // The options are the types.
      onChange={(event) => onReading(column.name, bestReading(column, event.currentTarget.value as FieldType))}
    />
  )
}

/** The order of dates, or the decimal sign, if values can be read in two ways, and how some values are read. */
function ReadingChoice({ column, outcome, onReading }: ShownProps) {
  const { reading, type, isUnsure } = outcome
  const offered = readingsOf(column, type)
  const shown = reading ? previewedReading(column, reading) : undefined
  const changed = (shown?.examples ?? []).filter(({ before, after }) => before !== after)
  const isOffered = reading !== null && offered.length > 1 && (isUnsure || changed.length > 0)
  return (
    <>
      {isOffered && (
        <NativeSelect
          size="xs"
          mt={4}
          aria-label={`Reading of ${column.name}`}
          data={offered.map((one) => ({
            value: readingKey(one.reading),
            label: readingTexts[readingKey(one.reading)] ?? '',
          }))}
          value={readingKey(reading)}
          onChange={(event) => {
            const chosen = offered.find((one) => readingKey(one.reading) === event.currentTarget.value)
            if (chosen) onReading(column.name, chosen.reading)
          }}
        />
      )}
      {isUnsure && (
        <Text size="xs" mt={4} className={css['unsure'] ?? ''}>
          {type === 'number'
            ? 'No value tells the decimals. Which reading is right?'
            : 'No value tells the day from the month. Which reading is right?'}
        </Text>
      )}
      {changed.map(({ before, after }, index) => (
        <Text key={before} size="xs" mt={index === 0 ? 4 : 0} className={css['misfits'] ?? ''}>
          {`${before} → ${after}`}
        </Text>
      ))}
    </>
  )
}

/** The misfits, and what happens to them. A key is never left out: its row would become another contact. */
function MisfitChoice({ outcome, field, isKey, onChoice }: ShownProps) {
  const { cells, examples } = outcome.misfits
  const offered: MismatchChoice[] = isKey ? ['row'] : ['cell', 'row']
  // A value with a special reading cannot become text; the column's type can be chosen instead.
  if (outcome.reading === null) offered.push('text')
  const chosen = offered.includes(outcome.choice) ? outcome.choice : (offered[0] ?? 'cell')
  return (
    <>
      <Text size="xs" mt={4} className={css['misfits'] ?? ''}>
        {`${formatCount(cells, 'cell')} ${cells === 1 ? 'does' : 'do'} not fit: ${examples.join(', ')}${cells > examples.length ? ', …' : ''}`}
      </Text>
      <NativeSelect
        size="xs"
        mt={4}
        aria-label={`Cells that do not fit ${field}`}
        data={offered.map((value) => ({ value, label: mismatchTexts[value] }))}
        value={chosen}
        // The options are the choices.
        onChange={(event) => onChoice(field, event.currentTarget.value as MismatchChoice)}
      />
    </>
  )
}
