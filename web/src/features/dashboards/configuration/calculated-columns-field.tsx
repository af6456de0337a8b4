import {
  type CalculatedColumn,
  columnProblems,
  type Fix,
  fixText,
  mostCalculatedColumns,
  type Position,
  positionText,
  readFix,
  readPosition,
} from '@portico/contract/dashboards/calculated-columns'
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import IconPlus from '#icons/IconPlus'
import IconTrash from '#icons/IconTrash'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import css from './chart-configuration-dialog.module.css'

type CalculatedColumnsFieldProps = {
  /** The table's own columns. */
  columns: readonly string[]
  value: CalculatedColumn[]
  onChange: (columns: CalculatedColumn[]) => void
  error: string | undefined
  /** Problems are shown once the dialog was submitted. */
  isChecked: boolean
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

/** The calculated columns of a table (specification 4 §5). */
export function CalculatedColumnsField({ columns, value, onChange, error, isChecked }: CalculatedColumnsFieldProps) {
  const [removing, setRemoving] = useState<number | null>(null)
  const problems = isChecked ? columnProblems(value, columns) : []
  const change = (index: number, part: Partial<CalculatedColumn>): void =>
    onChange(value.map((column, at) => (at === index ? { ...column, ...part } : column)))
  return (
    <Stack gap="sm">
      {value.map((column, index) => {
        const problemOf = (key: keyof CalculatedColumn): string | undefined =>
          problems.find((problem) => problem.index === index && problem.key === key)?.message
        const before = value.slice(0, index).map(({ name }) => name)
        return (
          // Columns have nothing but their place: names may be the same while they are typed.
          <fieldset key={index} className={css['column']}>
            <legend>{column.name || `Column ${index + 1}`}</legend>
            <Stack gap="xs">
              <TextInput
                label="Name"
                withAsterisk
                value={column.name}
                error={problemOf('name') ?? (isChecked && column.name.trim() === '' ? 'Value is required!' : undefined)}
                onChange={(event) => change(index, { name: event.currentTarget.value })}
              />
              <TextInput
                label="Expression"
                withAsterisk
                placeholder="{{total}} / {{count}}"
                value={column.expression}
                error={problemOf('expression')}
                onChange={(event) => change(index, { expression: event.currentTarget.value })}
              />
              <Group gap={4}>
                {[...columns, ...before].map((name) => (
                  <Button
                    key={name}
                    size="compact-xs"
                    variant="default"
                    onClick={() => change(index, { expression: `${column.expression}{{${name}}}` })}
                  >
                    {name}
                  </Button>
                ))}
              </Group>
              <FixFields
                fix={readFix(column.fix)}
                text={column.fix}
                onChange={(fix) => change(index, { fix })}
                error={problemOf('fix')}
              />
              <PositionFields
                text={column.position}
                columns={[...columns, ...before]}
                onChange={(position) => change(index, { position })}
                error={problemOf('position')}
              />
              <Group justify="flex-end">
                <Button
                  size="compact-xs"
                  variant="subtle"
                  color="red.8"
                  leftSection={<IconTrash size={14} aria-hidden />}
                  onClick={() => setRemoving(index)}
                >
                  {`Remove ${column.name || 'column'}`}
                </Button>
              </Group>
            </Stack>
          </fieldset>
        )
      })}
      {error !== undefined && isChecked && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      )}
      <ReasonedButton
        label="Add calculated column"
        Icon={IconPlus}
        reason={
          value.length >= mostCalculatedColumns
            ? `A table has at most ${mostCalculatedColumns} calculated columns.`
            : null
        }
        onClick={() => onChange([...value, { name: '', expression: '', fix: 'none', position: 'e' }])}
      />
      <ConfirmDialog
        isOpen={removing !== null}
        title="Remove calculated column"
        question="Are you sure?"
        confirmLabel="Yes, remove"
        onConfirm={() => {
          onChange(value.filter((_, at) => at !== removing))
          setRemoving(null)
        }}
        onClose={() => setRemoving(null)}
      />
    </Stack>
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
