import type { ConsumerCode } from '@portico/contract/scheduler/instructions'
import { endTypes } from '@portico/contract/scheduler/choice-problems'
import { minuteChoices, periods, workdays } from '@portico/domain/scheduler/cron-parts'
import { timeInWords } from '@portico/domain/scheduler/time-words'
import { customOffset, offsetChoices } from '@portico/domain/scheduler/offset-window'
import { winterOffset } from '@portico/domain/scheduler/zone-offsets'
import { Button, Input, NumberInput, SegmentedControl, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useMemo, useState } from 'react'
import { ToggleRow } from '#ui/form/toggle-row.tsx'
import css from './cron-editor.module.css'
import { ReportSource } from './report-parts.ts'
import { DateFieldSelect } from './date-field-select.tsx'
import { type FieldsProps, partOf } from './fields-props.ts'

const weekdayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
const weekdayOptions = weekdayNames.map((label, index) => ({ value: index + 1, label }))
const dayOptions = Array.from({ length: 31 }, (_, index) => ({ value: index + 1, label: String(index + 1) }))
const hourOptions = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: timeInWords(hour * 60) }))
const minuteOptions = minuteChoices.map((minute) => ({ value: String(minute), label: String(minute).padStart(2, '0') }))
const custom = 'custom'
const noEnd = 'No end'
const offsetOptions = [
  ...Object.entries(offsetChoices).map(([value, label]) => ({ value, label })),
  { value: custom, label: 'Custom' },
]

const timingFields = [
  'period',
  'weekdays',
  'days',
  'hour',
  'minute',
  'cronTZ',
  'offset',
  'isCustomOffset',
  'url',
  'dateField',
  'rdl',
  'start',
  'endType',
  'cronEnd',
  'cronRepeat',
] as const

type TimingFieldsProps = FieldsProps & { consumerCode: ConsumerCode; isKept: boolean }

/** Period, time, zone, offset and dates of a new cron. For an existing cron they are read-only. */
export const TimingFields = partOf(timingFields, function TimingFields(props: TimingFieldsProps) {
  const { values, consumerCode, isKept } = props
  return (
    <fieldset className={css['timing']} disabled={isKept} aria-label="Timing">
      <Stack gap="sm">
        {/* The preview describes a timing that these fields cannot express. */}
        {!(isKept && values.period === null) && <PeriodFields {...props} />}
        {consumerCode === 'BI' && <ReportSource {...props} />}
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          <OffsetField {...props} />
          {consumerCode === 'EXPORT' && <DateFieldSelect {...props} />}
        </SimpleGrid>
        <DateFields {...props} />
      </Stack>
    </fieldset>
  )
})

function PeriodFields({ values, onChange, problems, isKept }: TimingFieldsProps) {
  const { period, weekdays, days, hour, minute, cronTZ } = values
  const zones = useZones()
  return (
    <>
      <Input.Wrapper className={css['choice'] ?? ''} label="Period" withAsterisk error={problems.get('period')}>
        <SegmentedControl
          fullWidth
          aria-label="Period"
          data={[...periods]}
          value={period ?? ''}
          onChange={(chosen) => onChange({ period: periods.find((one) => one === chosen) ?? null })}
        />
      </Input.Wrapper>
      {period === 'Weekly' && (
        <Input.Wrapper className={css['choice'] ?? ''} error={problems.get('weekdays')}>
          <ToggleRow
            label="Weekdays"
            options={weekdayOptions}
            value={weekdays}
            onChange={(chosen) => onChange({ weekdays: chosen })}
          />
          {!isKept && (
            <Button variant="subtle" size="compact-xs" mt={4} onClick={() => onChange({ weekdays: [...workdays] })}>
              Mon - Fri
            </Button>
          )}
        </Input.Wrapper>
      )}
      {period === 'Monthly' && (
        <Input.Wrapper className={`${css['choice'] ?? ''} ${css['days'] ?? ''}`} error={problems.get('days')}>
          <ToggleRow
            label="Days of month"
            options={dayOptions}
            columns={7}
            value={days}
            onChange={(chosen) => onChange({ days: chosen })}
          />
        </Input.Wrapper>
      )}
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <Select
          label="Hour"
          withAsterisk
          data={hourOptions}
          value={hour === null ? null : String(hour)}
          onChange={(chosen) => onChange({ hour: chosen === null ? null : Number(chosen) })}
          error={problems.get('hour')}
        />
        <Select
          label="Minute"
          data={minuteOptions}
          allowDeselect={false}
          value={String(minute)}
          onChange={(chosen) => onChange({ minute: Number(chosen) })}
        />
        <Select
          label="Timezone"
          withAsterisk
          searchable
          limit={60}
          data={zones}
          value={cronTZ === '' ? null : cronTZ}
          onChange={(chosen) => onChange({ cronTZ: chosen ?? '' })}
          error={problems.get('cronTZ')}
        />
      </SimpleGrid>
    </>
  )
}

function OffsetField({ values: { offset, isCustomOffset: isCustom }, onChange, problems }: FieldsProps) {
  return (
    <>
      <Select
        label="Offset"
        withAsterisk
        data={offsetOptions}
        value={isCustom ? custom : offset}
        onChange={(chosen) => {
          const isTyped = chosen === custom
          onChange({ offset: isTyped ? null : chosen, isCustomOffset: isTyped })
        }}
        error={isCustom ? null : problems.get('offset')}
      />
      {isCustom && (
        <NumberInput
          label="Days before"
          withAsterisk
          min={customOffset.least}
          allowDecimal={false}
          clampBehavior="none"
          value={offset ?? ''}
          onChange={(days) => onChange({ offset: days === '' ? null : String(days) })}
          error={problems.get('offset')}
        />
      )}
    </>
  )
}

function DateFields({ values, onChange, problems, isKept }: TimingFieldsProps) {
  const { period, start, endType, cronEnd, cronRepeat } = values
  // Programs may omit the end, which the dialog requires.
  const isEndless = isKept && cronEnd === '' && cronRepeat === null
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
      <TextInput
        type="date"
        label="Start Date"
        withAsterisk
        value={start}
        onChange={(event) => onChange({ start: event.currentTarget.value })}
        error={problems.get('cronStart')}
      />
      {isEndless && <Select label="End Type" data={[noEnd]} value={noEnd} />}
      {period !== 'Once' && !isEndless && (
        <>
          <Select
            label="End Type"
            data={[...endTypes]}
            allowDeselect={false}
            value={endType}
            onChange={(chosen) => onChange({ endType: endTypes.find((one) => one === chosen) ?? endType })}
          />
          {endType === 'End Date' ? (
            <TextInput
              type="date"
              label="End Date"
              withAsterisk
              value={cronEnd}
              onChange={(event) => onChange({ cronEnd: event.currentTarget.value })}
              error={problems.get('cronEnd')}
            />
          ) : (
            <NumberInput
              label="Number of repeats"
              withAsterisk
              min={1}
              allowDecimal={false}
              clampBehavior="none"
              value={cronRepeat ?? ''}
              onChange={(count) => onChange({ cronRepeat: count === '' ? null : Number(count) })}
              error={problems.get('cronRepeat')}
            />
          )}
        </>
      )}
    </SimpleGrid>
  )
}

/** Zones with the browser's winter offset first; the others are found by typing. */
function useZones() {
  const [year] = useState(() => new Date().getFullYear())
  return useMemo(() => {
    const own = winterOffset(Intl.DateTimeFormat().resolvedOptions().timeZone, year)
    const all = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])]
    const [near, far] = [true, false].map((isNear) =>
      all.filter((zone) => (winterOffset(zone, year) === own) === isNear),
    )
    return [
      { group: 'With your offset', items: near ?? [] },
      { group: 'Others', items: far ?? [] },
    ]
  }, [year])
}
