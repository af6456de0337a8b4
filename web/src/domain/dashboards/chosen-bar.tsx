import type { Definition } from '@portico/contract/dashboards/definition'
import { todayIn } from '@portico/domain/days'
import { shownNumber } from '@portico/domain/decimals'
import type { GroupValue, Interaction } from '@portico/contract/dashboards/interaction'
import { noInteraction } from '@portico/contract/dashboards/interaction-reading'
import { chartOf, daysOfRange, parseFilter } from '@portico/contract/dashboards/dashboard-cells'
import { datePartText } from '@portico/domain/dashboards/date-part-words'
import { findGroup } from '@portico/domain/pipeline/grouping'
import type { KeyPart } from '@portico/domain/pipeline/pipeline'
import { Button, Pill, Text } from '@mantine/core'
import { formatDay, formatNumber } from '#lib/formats.ts'
import { accountTimeZone } from '#lib/session/session.ts'
import css from './chosen-bar.module.css'
import type { Choosing } from './interaction-address.ts'
import { withoutCell } from './interaction-changes.ts'

type ChosenBarProps = {
  definition: Definition
  interaction: Interaction
  onChange: Choosing['change']
  /** The address holds all choices. */
  isShareable: boolean
}

/** The choices that narrow the cells, in words, each with a button to remove it. */
export function ChosenBar({ definition, interaction, onChange, isShareable }: ChosenBarProps) {
  const entries = entriesOf(definition, interaction)
  return (
    <section className={css['bar']} aria-label="Active filters">
      <Text size="sm" c="dimmed">
        Narrowed to
      </Text>
      {entries.map(({ cell, text }) => (
        <Pill
          key={`${cell} ${text}`}
          size="md"
          withRemoveButton
          removeButtonProps={{ 'aria-label': `Remove ${text}`, tabIndex: 0, 'aria-hidden': false }}
          onRemove={() => onChange((now) => withoutCell(now, cell))}
        >
          {text}
        </Pill>
      ))}
      <Button variant="subtle" size="compact-xs" onClick={() => onChange(() => noInteraction)}>
        Reset
      </Button>
      {!isShareable && (
        <Text size="xs" c="dimmed">
          Too much is chosen for a link: others see the dashboard without it.
        </Text>
      )}
    </section>
  )
}

type Entry = { cell: string; text: string }

function entriesOf(definition: Definition, { clicks, choices, ranges }: Interaction): Entry[] {
  const today = todayIn(accountTimeZone() ?? 'UTC')
  const titleOf = (cell: string): string => {
    const chart = chartOf(definition, cell)
    return chart?.title || chart?.type || 'A cell that is gone'
  }
  const partOf = (cell: string, at: number): KeyPart | null => {
    const { filter } = chartOf(definition, cell) ?? {}
    const key = filter && findGroup(parseFilter(filter))?.group.keys[at]
    return key?.kind === 'field' ? key.part : null
  }
  return [
    ...clicks.map(({ cell, keys }) => ({
      cell,
      text: `${titleOf(cell)}: ${listed(keys.map((each) => each.map((value, at) => shown(value, partOf(cell, at))).join(' · ')))}`,
    })),
    ...choices.map(({ cell, include, exclude }) => ({
      cell,
      text: `${titleOf(cell)}: ${exclude.length > 0 ? 'all but ' : ''}${listed((exclude.length > 0 ? exclude : include).map((value) => shown(value, partOf(cell, 0))))}`,
    })),
    ...ranges.map((range) => {
      const { from, to } = daysOfRange(range, today)
      const days = from === to ? formatDay(from) : `${formatDay(from)} – ${formatDay(to)}`
      return { cell: range.cell, text: `${titleOf(range.cell)}: ${days}` }
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
