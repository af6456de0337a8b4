import { Button, Group, Popover, Skeleton, Stack } from '@mantine/core'
import { useState } from 'react'
import IconCalendar from '#icons/IconCalendar'
import { deferred } from '#ui/page/deferred.tsx'
import type { DayChoiceProps, Days } from './day-choice.tsx'

// The calendar is loaded when a picker first opens.
const DayChoice = deferred(
  async () => (await import('./day-choice.tsx')).DayChoice,
  () => <Skeleton w={240} h={330} />,
)

export type RangeChoice = { preset: string } | Days

type DateRangePickerProps = Omit<DayChoiceProps, 'onCancel' | 'onApply'> & {
  label: string
  /** The preset that the days come from; null for custom days. */
  preset: string | null
  presets: readonly { value: string; label: string }[]
  isDisabled?: boolean
  onApply: (choice: RangeChoice) => void
}

const shown = (day: string): string => {
  const [year, month, date] = day.split('-')
  return `${Number(month)}/${Number(date)}/${year}`
}

const textOf = ({ from, to }: Days): string => (from === to ? shown(from) : `${shown(from)} – ${shown(to)}`)

const listed = (name: string | undefined, days: Days | null, separator: string): string =>
  [name, days && textOf(days)].filter((text) => text).join(separator)

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
          aria-label={`${label}: ${listed(name, days, ', ')}`}
        >
          {listed(name, days, ' · ')}
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
