import { Button, Group, SegmentedControl, Text } from '@mantine/core'
import { DatePicker } from '@mantine/dates'
import { useState } from 'react'
import '@mantine/dates/styles.layer.css'

/** Days as `2026-01-31`. */
export type Days = { from: string; to: string }

export type DayChoiceProps = {
  /** The days that apply, both ends included; null for all days. */
  days: Days | null
  /** One day only. Otherwise either a range or a single day can be chosen. */
  isSingle?: boolean
  earliest: string
  latest: string
  /** Maximum length of a range in days; 0 leaves only the presets. */
  mostDays: number
  onApply: (days: Days) => void
  onCancel: () => void
}

const msPerDay = 86_400_000
const countOf = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / msPerDay) + 1

/** A calendar in which a range or a single day is chosen, with Apply and Cancel. */
export function DayChoice(props: DayChoiceProps) {
  const { days, isSingle = false, earliest, latest, mostDays, onApply, onCancel } = props
  const [mode, setMode] = useState<'range' | 'day'>(isSingle || (days && days.from === days.to) ? 'day' : 'range')
  const [[from, to], setRange] = useState<[string | null, string | null]>([days?.from ?? null, days?.to ?? null])
  const count = from !== null && to !== null ? countOf(from, to) : 0
  const tooMany = count > Math.max(1, mostDays)
  const common = {
    minDate: earliest,
    maxDate: latest,
    size: 'sm' as const,
    ariaLabels: calendarLabels,
    // Pale and red days have too little contrast.
    hideOutsideDates: true,
    weekendDays: [],
  }
  return (
    <>
      {!isSingle && (
        <SegmentedControl
          size="xs"
          aria-label="Range or single date"
          data={[
            { value: 'range', label: 'Range' },
            { value: 'day', label: 'Single date' },
          ]}
          value={mode}
          onChange={(next) => setMode(next === 'day' ? 'day' : 'range')}
        />
      )}
      {mode === 'range' ? (
        <DatePicker
          {...common}
          type="range"
          allowSingleDateInRange
          defaultDate={from ?? latest}
          value={[from, to]}
          onChange={setRange}
        />
      ) : (
        <DatePicker {...common} defaultDate={to ?? latest} value={to} onChange={(day) => setRange([day, day])} />
      )}
      <Text size="xs" c={tooMany ? 'var(--mantine-color-error)' : 'dimmed'} role={tooMany ? 'alert' : undefined}>
        {mode === 'range' ? adviceOf(mostDays) : ' '}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" size="xs" onClick={onCancel}>
          Cancel
        </Button>
        <Button
          size="xs"
          disabled={from === null || to === null || tooMany}
          onClick={() => from !== null && to !== null && onApply({ from, to })}
        >
          Apply
        </Button>
      </Group>
    </>
  )
}

const calendarLabels = {
  previousMonth: 'Previous month',
  nextMonth: 'Next month',
  previousYear: 'Previous year',
  nextYear: 'Next year',
  previousDecade: 'Previous decade',
  nextDecade: 'Next decade',
}

function adviceOf(mostDays: number): string {
  if (mostDays === 0) return 'Choose one of the presets.'
  return `Choose at most ${mostDays} ${mostDays === 1 ? 'day' : 'days'}.`
}
