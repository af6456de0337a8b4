import { dueTimesBetween, TooManyDueTimes } from '@portico/domain/scheduler/cron-times'
import type { Cron } from '@portico/contract/scheduler/crons'
import { addDays, isDay, todayIn } from '@portico/domain/days'
import { mostBackfills } from '@portico/contract/scheduler/schedules'
import { momentOf } from '@portico/domain/scheduler/zone-offsets'
import { SimpleGrid, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { formatCount } from '#lib/formats.ts'
import { SubmitDialog } from '#ui/dialog/submit-dialog.tsx'
import { notifyAct } from './notify-act.ts'
import { failureOf, useBackfill } from './scheduler-queries.ts'

/** Runs the due times of past days again: by default those that were not completed and delivered. */
export function RunRangeDialog({ cron, onClose }: { cron: Cron; onClose: () => void }) {
  const [first] = useState(() => {
    const today = todayIn(cron.cronTZ)
    return { from: addDays(today, -7), to: today, isAll: false }
  })
  const [values, setValues] = useState(first)
  const backfill = useBackfill()
  const count = countDueTimes(cron, values)
  const day = (key: 'from' | 'to', label: string) => (
    <TextInput
      type="date"
      label={label}
      value={values[key]}
      onChange={(event) => setValues({ ...values, [key]: event.currentTarget.value })}
    />
  )
  const submit = (): void => {
    const { from, to } = momentsOf(cron, values)
    const which = values.isAll ? ('all' as const) : ('unsuccessful' as const)
    backfill.mutate(
      // The range includes its last moment.
      { id: cron._id, body: { from: new Date(from).toISOString(), to: new Date(to - 1).toISOString(), which } },
      {
        onSuccess: (made) => {
          notifyAct(`${formatCount(made.count, 'run')} of ${cron.name} will run again.`)
          onClose()
        },
      },
    )
  }
  return (
    <SubmitDialog
      title={`Run ${cron.name} again`}
      width={480}
      submitLabel="Run again"
      isDirty={values !== first}
      isBusy={backfill.isPending}
      problem={backfill.error ? failureOf(backfill.error, 'run again') : null}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm">
        Past due times run again one after the other, each with its own window of dates, with the present settings of
        the cron.
      </Text>
      <SimpleGrid cols={2} spacing="sm">
        {day('from', 'From')}
        {day('to', 'To')}
      </SimpleGrid>
      <Switch
        label="Also those that were completed and delivered"
        checked={values.isAll}
        onChange={(event) => setValues({ ...values, isAll: event.currentTarget.checked })}
      />
      <Text size="sm" c="dimmed" aria-live="polite">
        {inWords(count, cron.cronTZ)}
      </Text>
    </SubmitDialog>
  )
}

type Days = { from: string; to: string }

/** The bounds of whole days in the cron's zone; `to` is exclusive, and not later than now. */
function momentsOf({ cronTZ }: Cron, { from, to }: Days): { from: number; to: number } {
  const start = (day: string): number => momentOf(cronTZ, Date.parse(`${day}T00:00:00Z`))
  return { from: start(from), to: Math.min(start(addDays(to, 1)), Date.now()) }
}

/** The number of due times within the days; null if the range is invalid. */
function countDueTimes(cron: Cron, days: Days): number | null {
  if (!isDay(days.from) || !isDay(days.to) || days.from > days.to) return null
  const { from, to } = momentsOf(cron, days)
  const { cronTZ, cronStart, cronEnd } = cron
  try {
    return dueTimesBetween({ cron: cron.cron, cronTZ, cronStart, cronEnd, cronRepeat: null }, from, to).length
  } catch (error) {
    if (error instanceof TooManyDueTimes) return Number.POSITIVE_INFINITY
    throw error
  }
}

function inWords(count: number | null, zone: string): string {
  if (count === null) return 'Choose a first and a last day.'
  if (count > mostBackfills) return `More than ${mostBackfills} due times: choose fewer days.`
  return `${formatCount(count, 'due time')} on these days (${zone}).`
}
