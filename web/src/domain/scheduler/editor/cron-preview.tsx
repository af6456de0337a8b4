import { describeCron } from '@portico/domain/scheduler/cron-parts'
import { timingProblems } from '@portico/contract/scheduler/cron-problems'
import { type CronTiming, nextDueTimes } from '@portico/domain/scheduler/cron-times'
import { describeWindow, isOffset } from '@portico/domain/scheduler/offset-window'
import type { DatedType } from '@portico/domain/scheduler/window-condition'
import { timingMarks } from '@portico/domain/scheduler/timing-marks'
import { Alert, Stack, Text } from '@mantine/core'
import { memo } from 'react'
import css from './cron-preview.module.css'

const shownRuns = 10

type CronPreviewProps = {
  timing: CronTiming
  offset: string | null
  /** The types of dates that the offset's window applies to. */
  dates: readonly DatedType[]
  /** In ms. */
  now: number
  /** An existing cron was validated when it was saved, and may have started. */
  isKept: boolean
}

/** The timing as a sentence, its next runs, and surprises in them. Renders nothing until the timing is valid. */
export const CronPreview = memo(function CronPreview({ timing, offset, dates, now, isKept }: CronPreviewProps) {
  if (!isKept && timingProblems(timing, now).length > 0) return null
  const runs = nextDueTimes(timing, now - 1, shownRuns)
  const [first] = runs
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timing.cronTZ,
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'longOffset',
  })
  return (
    <section aria-label="Next runs" className={css['preview']}>
      <Stack gap="xs">
        <Text fw={600}>{describeCron(timing)}</Text>
        <ol className={css['runs']}>
          {runs.map((run) => (
            <li key={run}>
              <time dateTime={new Date(run).toISOString()}>{format.format(run)}</time>
            </li>
          ))}
        </ol>
        {offset !== null && isOffset(offset) && first !== undefined && (
          <Text size="sm">{describeWindow(offset, first, timing.cronTZ, dates)}</Text>
        )}
        {timingMarks(timing, now).map(({ kind, text }) => (
          <Alert key={`${kind} ${text}`} color="orange" p="xs">
            {text}
          </Alert>
        ))}
      </Stack>
    </section>
  )
}, isSameTiming)

/** Every keystroke creates an equal timing. */
function isSameTiming(before: CronPreviewProps, after: CronPreviewProps): boolean {
  const isSame = before.timing === after.timing || JSON.stringify(before.timing) === JSON.stringify(after.timing)
  return isSame && before.offset === after.offset && before.dates === after.dates
}
