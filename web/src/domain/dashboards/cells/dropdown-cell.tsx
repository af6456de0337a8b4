import { groupingOfChart } from '@portico/contract/dashboards/narrowing'
import { dashboardLimits } from '@portico/contract/dashboards/dashboard-limits'
import type { GroupValue } from '@portico/contract/dashboards/interaction'
import { Button, Checkbox, Group, Popover, ScrollArea, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import IconChevronDown from '#icons/IconChevronDown'
import { keyText } from '#domain/charts'
import { messageOf } from '#lib/api/api-error.ts'
import { formatNumber } from '#lib/formats.ts'
import { useCellAnswer, wholeCell } from '../dashboard-queries.ts'
import { withChoice } from '../interaction-changes.ts'
import type { CellContentProps } from './cell-props.ts'

const searchDelayMs = 250
const valuesShown = 100

/** The values of a field, of which one or several are included or excluded. They narrow the other cells. */
export function DropdownCell({ cell, source, choosing, isVisible }: CellContentProps) {
  const { id, chart } = cell
  const [isOpen, setOpen] = useState(false)
  const chosen = choosing?.interaction.choices.find((choice) => choice.cell === id)
  const include = chosen?.include ?? []
  const exclude = chosen?.exclude ?? []
  const [mode, setMode] = useState<'include' | 'exclude'>(exclude.length > 0 ? 'exclude' : 'include')
  const isSeveral = chart.multipleSelect === true
  const values = mode === 'include' ? include : exclude
  const set = (next: readonly GroupValue[], how = mode): void =>
    choosing?.change((now) =>
      withChoice(now, id, how === 'include' ? { include: next, exclude: [] } : { include: [], exclude: next }),
    )
  const toggle = (value: GroupValue): void => {
    const isChosen = values.includes(value)
    if (isSeveral) set(isChosen ? values.filter((each) => each !== value) : [...values, value])
    else {
      set(isChosen ? [] : [value])
      setOpen(false)
    }
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" width="target" shadow="md" trapFocus>
      <Popover.Target>
        <Button
          variant="default"
          fullWidth
          justify="space-between"
          disabled={choosing === null}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          onClick={() => setOpen(!isOpen)}
          aria-label={`${chart.title || 'Values'}: ${summary(include, exclude)}`}
        >
          {summary(include, exclude)}
        </Button>
      </Popover.Target>
      <Popover.Dropdown miw={240}>
        <Stack gap="xs">
          {isSeveral && (
            <SegmentedControl
              size="xs"
              aria-label="Include or exclude"
              data={[
                { value: 'include', label: 'Include' },
                { value: 'exclude', label: 'Exclude' },
              ]}
              value={mode}
              onChange={(next) => {
                const how = next === 'exclude' ? 'exclude' : 'include'
                setMode(how)
                if (values.length > 0) set(values, how)
              }}
            />
          )}
          {isOpen && (
            <Values
              {...{ cell, source, isVisible }}
              values={values}
              isFull={values.length >= dashboardLimits.chosenValues}
              onToggle={toggle}
            />
          )}
          <Group justify="space-between">
            <Text size="xs" c="dimmed">
              {values.length === 0 ? ' ' : `${formatNumber(values.length)} chosen`}
            </Text>
            <Button variant="subtle" size="compact-xs" disabled={values.length === 0} onClick={() => set([])}>
              Clear
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

function summary(include: readonly GroupValue[], exclude: readonly GroupValue[]): string {
  if (include.length === 0 && exclude.length === 0) return 'All'
  const values = include.length > 0 ? include : exclude
  const text = values.length === 1 ? String(values[0] ?? '(no value)') : `${formatNumber(values.length)} values`
  return include.length > 0 ? text : `All but ${text}`
}

type ValuesProps = Pick<CellContentProps, 'cell' | 'source' | 'isVisible'> & {
  values: readonly GroupValue[]
  isFull: boolean
  onToggle: (value: GroupValue) => void
}

function Values({ cell, source, isVisible, values, isFull, onToggle }: ValuesProps) {
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), searchDelayMs)
  const answer = useCellAnswer(source, { ...wholeCell, search, limit: valuesShown }, { isVisible })
  const key = answer.data && groupingOfChart(cell.chart, answer.data.fields)?.keys[0]
  const found =
    answer.data?.rows.map((row) => ({ value: (row['value'] ?? null) as GroupValue, count: row['count'] })) ?? []
  // Chosen values stay listed, also those that the other cells leave out.
  const missing = search === '' ? values.filter((value) => !found.some((each) => each.value === value)) : []
  const listed = [...missing.map((value) => ({ value, count: 0 as unknown })), ...found]
  return (
    <>
      <TextInput
        aria-label="Search values"
        placeholder="Search"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        data-autofocus
      />
      <ScrollArea.Autosize mah={260} type="auto">
        <Stack gap={8} py={4}>
          {listed.map(({ value, count }) => (
            <Checkbox
              key={JSON.stringify(value)}
              size="xs"
              checked={values.includes(value)}
              disabled={isFull && !values.includes(value)}
              label={`${keyText(value, key)} (${typeof count === 'number' ? formatNumber(count) : ''})`}
              onChange={() => onToggle(value)}
            />
          ))}
          {answer.isSuccess && listed.length === 0 && <Text size="sm">No values found.</Text>}
          {answer.isError && <Text size="sm">{messageOf(answer.error)}</Text>}
          {answer.data && answer.data.total > found.length && (
            <Text
              size="xs"
              c="dimmed"
            >{`First ${formatNumber(found.length)} of ${formatNumber(answer.data.total)}. Search for others.`}</Text>
          )}
        </Stack>
      </ScrollArea.Autosize>
    </>
  )
}
