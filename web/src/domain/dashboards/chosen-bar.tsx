import type { Definition } from '@portico/contract/dashboards/definition'
import { allTimeName, type DayRange, todayIn } from '@portico/domain/days'
import { shownNumber } from '@portico/domain/decimals'
import type { GroupValue, Interaction } from '@portico/contract/dashboards/interaction'
import { noInteraction } from '@portico/contract/dashboards/interaction-reading'
import {
  cellsOf,
  chartOf,
  dateFieldOf,
  daysOfRange,
  initialDays,
  parseFilter,
} from '@portico/contract/dashboards/dashboard-cells'
import { dateFieldInWords } from '@portico/contract/dashboards/date-field'
import { datePartText } from '@portico/domain/dashboards/date-part-words'
import { findGroup } from '@portico/domain/pipeline/grouping'
import type { KeyPart } from '@portico/domain/pipeline/pipeline'
import { Button, Pill, Text } from '@mantine/core'
import { formatNumber } from '#lib/formats.ts'
import { accountTimeZone } from '#lib/session/session.ts'
import css from './chosen-bar.module.css'
import { daysInWords } from './days-in-words.ts'
import type { Choosing } from './interaction-address.ts'
import { isUntouched, withoutCell } from './interaction-changes.ts'

type ChosenBarProps = {
  definition: Definition
  interaction: Interaction
  onChange: Choosing['change']
  /** The address holds all choices. */
  isShareable: boolean
}

/** All that narrows the cells, in words, with a button to remove each choice. */
export function ChosenBar({ definition, interaction, onChange, isShareable }: ChosenBarProps) {
  const entries = entriesOf(definition, interaction)
  return (
    <section className={css['bar']} aria-label="Active filters">
      <Text size="sm" c="dimmed">
        Narrowed to
      </Text>
      {entries.map(({ cell, text, isInitial = false }) => (
        <Pill
          key={`${cell} ${text}`}
          size="md"
          withRemoveButton={!isInitial}
          removeButtonProps={{ 'aria-label': `Remove ${text}`, tabIndex: 0, 'aria-hidden': false }}
          onRemove={() => onChange((now) => withoutCell(now, cell))}
        >
          {text}
        </Pill>
      ))}
      {!isUntouched(interaction) && (
        <Button variant="subtle" size="compact-xs" onClick={() => onChange(() => noInteraction)}>
          Reset
        </Button>
      )}
      {!isShareable && (
        <Text size="xs" c="dimmed">
          Too much is chosen for a link: others see the dashboard without it.
        </Text>
      )}
    </section>
  )
}

/** `isInitial`: the first days of a date picker, which the viewer has not chosen. */
type Entry = { cell: string; text: string; isInitial?: boolean }

function entriesOf(definition: Definition, { clicks, choices, ranges }: Interaction): Entry[] {
  const today = todayIn(accountTimeZone() ?? 'UTC')
  const rangeText = (days: DayRange | null): string => (days ? daysInWords(days, today) : allTimeName)
  const titleOf = (cell: string): string => {
    const chart = chartOf(definition, cell)
    if (chart?.type === 'DatePicker') return chart.title || dateFieldInWords(dateFieldOf(chart))
    return chart?.title || chart?.type || 'A cell that is gone'
  }
  const partOf = (cell: string, at: number): KeyPart | null => {
    const { filter } = chartOf(definition, cell) ?? {}
    const key = filter && findGroup(parseFilter(filter))?.group.keys[at]
    return key?.kind === 'field' ? key.part : null
  }
  const initial = cellsOf(definition).flatMap(({ id, chart }) => {
    if (chart?.type !== 'DatePicker' || ranges.some(({ cell }) => cell === id)) return []
    return [{ cell: id, text: `${titleOf(id)}: ${rangeText(initialDays(chart, today))}`, isInitial: true }]
  })
  return [
    ...initial,
    ...clicks.map(({ cell, keys }) => ({
      cell,
      text: `${titleOf(cell)}: ${listed(keys.map((each) => each.map((value, at) => shown(value, partOf(cell, at))).join(' · ')))}`,
    })),
    ...choices.map(({ cell, include, exclude }) => ({
      cell,
      text: `${titleOf(cell)}: ${exclude.length > 0 ? 'all but ' : ''}${listed((exclude.length > 0 ? exclude : include).map((value) => shown(value, partOf(cell, 0))))}`,
    })),
    ...ranges.map((range) => {
      return { cell: range.cell, text: `${titleOf(range.cell)}: ${rangeText(daysOfRange(range, today))}` }
    }),
  ]
}

function shown(value: GroupValue, part: KeyPart | null): string {
  if (value === null || value === '') return '(no value)'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (part !== null) return datePartText(value, part)
  return String(typeof value === 'number' ? shownNumber(value) : value)
}

const mostNames = 3

function listed(names: string[]): string {
  const more = names.length - mostNames
  const first = names.slice(0, mostNames).join(', ')
  return more > 0 ? `${first} and ${formatNumber(more)} more` : first
}
