import { dashboardLimits } from '@portico/contract/dashboards/dashboard-limits'
import type { GroupValue } from '@portico/contract/dashboards/interaction'
import { groupingOfChart } from '@portico/contract/dashboards/dashboard-cells'
import { Button, Checkbox, Group, ScrollArea, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { keyText } from '#domain/charts'
import { messageOf } from '#lib/api/api-error.ts'
import { formatNumber } from '#lib/formats.ts'
import { useCellAnswer, wholeCell } from '../dashboard-queries.ts'
import type { CellContentProps } from './cell-props.ts'

const searchDelayMs = 250
const valuesShown = 100

type Mode = 'include' | 'exclude'

type DropdownValuesProps = Pick<CellContentProps, 'cell' | 'source' | 'isVisible'> & {
  values: readonly GroupValue[]
  /** Null for a dropdown of a single value, which is included. */
  mode: Mode | null
  onMode: (mode: Mode) => void
  onToggle: (value: GroupValue) => void
  onClear: () => void
}

/** The open list of a dropdown. Its code is loaded when one first opens. */
export function DropdownValues({ values, mode, onMode, onToggle, onClear, ...cell }: DropdownValuesProps) {
  return (
    <Stack gap="xs">
      {mode !== null && (
        <SegmentedControl
          size="xs"
          aria-label="Include or exclude"
          data={[
            { value: 'include', label: 'Include' },
            { value: 'exclude', label: 'Exclude' },
          ]}
          value={mode}
          onChange={(next) => onMode(next === 'exclude' ? 'exclude' : 'include')}
        />
      )}
      <Values {...cell} values={values} isFull={values.length >= dashboardLimits.chosenValues} onToggle={onToggle} />
      <Group justify="space-between">
        <Text size="xs" c="dimmed">
          {values.length === 0 ? ' ' : `${formatNumber(values.length)} chosen`}
        </Text>
        <Button variant="subtle" size="compact-xs" disabled={values.length === 0} onClick={onClear}>
          Clear
        </Button>
      </Group>
    </Stack>
  )
}

type ListProps = Pick<CellContentProps, 'cell' | 'source' | 'isVisible'> & {
  values: readonly GroupValue[]
  isFull: boolean
  onToggle: (value: GroupValue) => void
}

function Values({ cell, source, isVisible, values, isFull, onToggle }: ListProps) {
  const [typed, setTyped] = useState('')
  const searchRef = useRef<HTMLInputElement>(null)
  // The list is rendered after the popover has moved the focus.
  useEffect(() => searchRef.current?.focus(), [])
  const [search] = useDebouncedValue(typed.trim(), searchDelayMs)
  const answer = useCellAnswer(source, { ...wholeCell, search, limit: valuesShown }, { isVisible })
  const key = answer.data && groupingOfChart(cell.chart, answer.data.fields)?.keys[0]
  const found =
    answer.data?.rows.map((row) => ({ value: (row['value'] ?? null) as GroupValue, count: row['count'] })) ?? []
  // Chosen values stay listed, including those that the other cells exclude.
  const missing = search === '' ? values.filter((value) => !found.some((each) => each.value === value)) : []
  const listed = [...missing.map((value) => ({ value, count: 0 as unknown })), ...found]
  return (
    <>
      <TextInput
        aria-label="Search values"
        placeholder="Search"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        ref={searchRef}
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
