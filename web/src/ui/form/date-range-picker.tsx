import { Button, Group, Popover, SegmentedControl, Stack, Text } from '@mantine/core'
import { DatePicker } from '@mantine/dates'
import { useState } from 'react'
import IconCalendar from '#icons/IconCalendar'
import '@mantine/dates/styles.layer.css'

/** Days as `2026-01-31`. */
type Days = { from: string; to: string }

export type RangeChoice = { preset: string } | Days

type DateRangePickerProps = {
  label: string
  /** The days that apply, both ends included. */
  days: Days
  /** The preset that they come from; null for a choice of days. */
  preset: string | null
  presets: readonly { value: string; label: string }[]
  /** One day only. Otherwise a range or a single day can be chosen. */
  isSingle?: boolean
  earliest: string
  latest: string
  /** Most days of a range. */
  mostDays: number
  isDisabled?: boolean
  onApply: (choice: RangeChoice) => void
}

const shown = (day: string): string => {
  const [year, month, date] = day.split('-')
  return `${Number(month)}/${Number(date)}/${year}`
}

const textOf = ({ from, to }: Days): string => (from === to ? shown(from) : `${shown(from)} – ${shown(to)}`)

/** Chooses days: a preset, a range or a single day. */
export function DateRangePicker(props: DateRangePickerProps) {
  const { label, days, preset, presets, isDisabled = false, onApply } = props
  const [isOpen, setOpen] = useState(false)
  const name = presets.find(({ value }) => value === preset)?.label
  const apply = (choice: RangeChoice): void => {
    setOpen(false)
    onApply(choice)
  }
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" shadow="md" trapFocus withinPortal>
      <Popover.Target>
        <Button
          variant="default"
          fullWidth
          justify="space-between"
          disabled={isDisabled}
          leftSection={<IconCalendar size={15} aria-hidden />}
          rightSection={<span />}
          onClick={() => setOpen(!isOpen)}
          aria-label={`${label}: ${name === undefined ? '' : `${name}, `}${textOf(days)}`}
        >
          {name === undefined ? textOf(days) : `${name} · ${textOf(days)}`}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="sm">
          <Group gap={6} maw={300}>
            {presets.map(({ value, label: text }) => (
              <Button
                key={value}
                size="compact-xs"
                variant={value === preset ? 'filled' : 'default'}
                onClick={() => apply({ preset: value })}
              >
                {text}
              </Button>
            ))}
          </Group>
          <DayChoice {...props} onApply={apply} onCancel={() => setOpen(false)} />
        </Stack>
      </Popover.Dropdown>
    </Popover>
  )
}

const msPerDay = 86_400_000
const countOf = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / msPerDay) + 1

function DayChoice(props: DateRangePickerProps & { onCancel: () => void }) {
  const { days, isSingle = false, earliest, latest, mostDays, onApply, onCancel } = props
  const [mode, setMode] = useState<'range' | 'day'>(isSingle || days.from === days.to ? 'day' : 'range')
  const [[from, to], setRange] = useState<[string | null, string | null]>([days.from, days.to])
  const count = from !== null && to !== null ? countOf(from, to) : 0
  const tooMany = count > Math.max(1, mostDays)
  const common = { minDate: earliest, maxDate: latest, size: 'sm' as const }
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
      <Text size="xs" c={tooMany ? 'red' : 'dimmed'} role={tooMany ? 'alert' : undefined}>
        {mode === 'range' ? `Choose at most ${mostDays} days.` : ' '}
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
