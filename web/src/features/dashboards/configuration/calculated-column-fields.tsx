import { type Fix, type Position, readFix, readPosition } from '@portico/domain/dashboards/calculated-columns'
import type { CalculatedColumn } from '@portico/contract/dashboards/calculated-column'
import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import IconTrash from '#icons/IconTrash'
import css from './chart-configuration-dialog.module.css'

type CalculatedColumnFieldsProps = {
  column: CalculatedColumn
  /** Its label until it has a name: 'Column 2'. */
  place: string
  /** Columns that its expression may use. */
  columns: readonly string[]
  problemOf: (key: keyof CalculatedColumn) => string | undefined
  onChange: (part: Partial<CalculatedColumn>) => void
  onRemove: () => void
}

const fixes = [
  { value: 'none', label: 'No fixed text' },
  { value: 'pre', label: 'Text before' },
  { value: 'post', label: 'Text after' },
]
const positions = [
  { value: 's', label: 'At the start' },
  { value: 'e', label: 'At the end' },
  { value: 'b', label: 'Before a column' },
  { value: 'a', label: 'After a column' },
]

/** One calculated column: its name, its expression, a fixed text and its position in the table (specification 4 §3). */
export function CalculatedColumnFields(props: CalculatedColumnFieldsProps) {
  const { column, place, columns, problemOf, onChange, onRemove } = props
  const { name, expression, fix, position } = column
  return (
    <fieldset className={css['column']}>
      <legend>{name || place}</legend>
      <Stack gap="xs">
        <TextInput
          label="Name"
          withAsterisk
          maxLength={100}
          value={name}
          error={problemOf('name')}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <TextInput
          label="Expression"
          withAsterisk
          placeholder="{{total}} / {{count}}"
          value={expression}
          error={problemOf('expression')}
          onChange={(event) => onChange({ expression: event.currentTarget.value })}
        />
        <Group gap={4}>
          {columns.map((each) => (
            <Button
              key={each}
              size="compact-xs"
              variant="default"
              aria-label={`Insert ${each}`}
              onClick={() => onChange({ expression: `${expression}{{${each}}}` })}
            >
              {each}
            </Button>
          ))}
        </Group>
        <FixFields
          fix={readFix(fix)}
          text={fix}
          onChange={(next) => onChange({ fix: next })}
          error={problemOf('fix')}
        />
        <PositionFields
          text={position}
          columns={columns}
          onChange={(next) => onChange({ position: next })}
          error={problemOf('position')}
        />
        <Group justify="flex-end">
          <Button
            size="compact-xs"
            variant="subtle"
            color="red"
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={onRemove}
          >
            {`Remove ${name || place}`}
          </Button>
        </Group>
      </Stack>
    </fieldset>
  )
}

type FixFieldsProps = { fix: Fix | null; text: string; onChange: (text: string) => void; error: string | undefined }

function FixFields({ fix, text, onChange, error }: FixFieldsProps) {
  const kind = fix?.kind ?? (text.startsWith('post') ? 'post' : 'pre')
  const own = fix && fix.kind !== 'none' ? fix.text : ''
  const write = (next: string, fixed: string): void =>
    onChange(next === 'none' ? fixText({ kind: 'none' }) : `${next}::${fixed}`)
  return (
    <Group gap="xs" align="flex-start" grow>
      <Select
        label="Fixed text"
        allowDeselect={false}
        data={fixes}
        value={kind}
        onChange={(next) => next !== null && write(next, own)}
      />
      {kind !== 'none' && (
        <TextInput
          label="Text"
          withAsterisk
          value={own}
          error={error}
          onChange={(event) => write(kind, event.currentTarget.value)}
        />
      )}
    </Group>
  )
}

type PositionFieldsProps = {
  text: string
  columns: readonly string[]
  onChange: (text: string) => void
  error: string | undefined
}

function PositionFields({ text, columns, onChange, error }: PositionFieldsProps) {
  const position = readPosition(text)
  const kind = position?.kind ?? (text.startsWith('b') ? 'b' : 'a')
  const column = position && 'column' in position ? position.column : null
  const write = (next: string, beside: string | null): void => {
    const made: Position =
      next === 's' || next === 'e' ? { kind: next } : { kind: next === 'b' ? 'b' : 'a', column: beside ?? '' }
    onChange(positionText(made))
  }
  return (
    <Group gap="xs" align="flex-start" grow>
      <Select
        label="Position"
        allowDeselect={false}
        data={positions}
        value={kind}
        onChange={(next) => next !== null && write(next, column)}
      />
      {(kind === 'b' || kind === 'a') && (
        <Select
          label="Column"
          withAsterisk
          data={[...new Set(columns)]}
          value={column}
          error={error}
          onChange={(next) => write(kind, next)}
        />
      )}
    </Group>
  )
}

const fixText = (fix: Fix): string => (fix.kind === 'none' ? 'none' : `${fix.kind}::${fix.text}`)
const positionText = (position: Position): string =>
  'column' in position ? `${position.kind}::${position.column}` : position.kind
