import type { Grouping } from '@portico/domain/pipeline/grouping'
import type { Row } from '@portico/domain/pipeline/pipeline'
import type { RemoteAccessDay } from '@portico/contract/remote-access'

/** The names of outcomes on the screen. */
const outcomes = {
  served: 'Served',
  notFound: 'Not found',
  several: 'Several',
  refused: 'Refused',
  limited: 'Limited',
} as const satisfies Partial<Record<keyof RemoteAccessDay, string>>

const records = { events: 'Events', dropped: 'Dropped' } as const satisfies Partial<
  Record<keyof RemoteAccessDay, string>
>

type Counted = keyof typeof outcomes | keyof typeof records

const dayKey = { name: 'Day', field: 'Day', part: null, type: 'string' } as const

/** Calls per day by outcome, as the chart draws them. */
export const callGrouping: Grouping = {
  keys: [dayKey],
  values: Object.values(outcomes),
  sums: Object.values(outcomes),
}

/** All figures per day, as the table lists them. */
export const dayGrouping: Grouping = {
  keys: [dayKey],
  values: [...Object.values(outcomes), ...Object.values(records)],
  sums: [],
}

/** Names of the figures by key. */
export const figures = { ...outcomes, ...records }

/** Figures in the order of the screen. */
export const counted = Object.keys(figures) as Counted[]

export const rowOf = (day: RemoteAccessDay): Row => ({
  Day: day.day,
  ...Object.fromEntries(counted.map((key) => [figures[key], day[key]])),
})

const msPerDay = 86_400_000
/** Maximum number of days in a chart. */
const daysAtMost = 30

/** Adds the days in between, which had no calls. Days further apart than a chart shows stay unchanged. */
export function withGaps(days: readonly RemoteAccessDay[]): RemoteAccessDay[] {
  const [first] = days
  const last = days.at(-1)
  if (!first || !last) return []
  const span = Math.round((Date.parse(last.day) - Date.parse(first.day)) / msPerDay) + 1
  if (span > daysAtMost) return [...days]
  const known = new Map(days.map((day) => [day.day, day]))
  return Array.from({ length: span }, (_, index) => {
    const day = new Date(Date.parse(first.day) + index * msPerDay).toISOString().slice(0, 10)
    return known.get(day) ?? { day, served: 0, notFound: 0, several: 0, refused: 0, limited: 0, events: 0, dropped: 0 }
  })
}

/** The sum of a figure over all days. */
export const totalOf = (days: readonly RemoteAccessDay[], key: Counted): number =>
  days.reduce((sum, day) => sum + day[key], 0)
