import { Button, Group, Paper, Text } from '@mantine/core'
import IconPlus from '#icons/IconPlus'
import IconTrash from '#icons/IconTrash'
import css from './behavioral-tab.module.css'
import { EventConditionRow } from '../conditions/event-condition-row.tsx'
import { conditionProblems, type EventDraft, type Keyed, newEventCondition, newEventRow } from '../draft.ts'
import { type EventCondition, eventOperatorsFor } from '../stages/filter.ts'
import { MatchingCount } from '../matching-count.tsx'
import { useRowFocus } from '../conditions/row-focus.ts'
import { eventRowStages } from '../stages/stages-of.ts'
import type { TabProps } from '../props.ts'

/** Contacts with an event that meets all conditions of a row; with several rows, with such an event for each. */
export function BehavioralTab({ draft, onChange, problems, confirm }: TabProps) {
  const rows = draft.behavioral
  const { newest, setAddButton, onAdded, onRemoved } = useRowFocus()
  const change = (behavioral: EventDraft[]): void => onChange({ ...draft, behavioral })

  function add(): void {
    const row = newEventRow()
    onAdded(row.conditions[0]?.key ?? '')
    change([...rows, row])
  }

  function remove(row: EventDraft): void {
    change(rows.filter(({ key }) => key !== row.key))
    onRemoved()
  }

  return (
    <>
      {rows.map((row, index) => (
        <EventCard
          key={row.key}
          name={`event ${index + 1}`}
          row={row}
          problems={problems}
          confirm={confirm}
          newest={newest}
          onChange={(next) => change(rows.map((other) => (other.key === row.key ? next : other)))}
          onRemove={() => remove(row)}
        />
      ))}
      <Group gap="sm">
        <Button ref={setAddButton} variant="default" leftSection={<IconPlus size={14} aria-hidden />} onClick={add}>
          Add event
        </Button>
        <Text size="xs" c="dimmed" flex={1}>
          Finds contacts with an event that meets all conditions of an event here; with several events, each must be
          met.
        </Text>
      </Group>
    </>
  )
}

type EventCardProps = Pick<TabProps, 'problems' | 'confirm'> & {
  name: string
  row: EventDraft
  /** The condition added last. */
  newest: string | null
  onChange: (row: EventDraft) => void
  onRemove: () => void
}

function EventCard({ name, row, problems, confirm, newest: newestOfAll, onChange, onRemove }: EventCardProps) {
  const { conditions } = row
  const { newest, setAddButton, onAdded, onRemoved } = useRowFocus()
  const isComplete = conditions.every((one) => Object.keys(conditionProblems(one)).length === 0)
  const change = (next: Keyed<EventCondition>[]): void => onChange({ ...row, conditions: next })

  function add(isCustom: boolean): void {
    const condition = { ...newEventCondition(), isCustom }
    onAdded(condition.key)
    change([...conditions, condition])
  }

  function remove(condition: Keyed<EventCondition>): void {
    // Removing the last condition removes its event.
    if (conditions.length === 1) return onRemove()
    change(conditions.filter(({ key }) => key !== condition.key))
    onRemoved()
  }

  return (
    <Paper component="section" aria-label={name} className={css['event'] ?? ''}>
      {conditions.map((condition, index) => (
        <EventConditionRow
          key={condition.key}
          name={`condition ${index + 1} of ${name}`}
          condition={condition}
          operators={eventOperatorsFor}
          problems={problems}
          isNew={condition.key === newestOfAll || condition.key === newest}
          onChange={(next) => change(conditions.map((other) => (other.key === condition.key ? next : other)))}
          onRemove={() => confirm('Are you sure?', () => remove(condition))}
        />
      ))}
      <Group gap="xs">
        <Button ref={setAddButton} variant="subtle" size="compact-xs" onClick={() => add(false)}>
          Add condition
        </Button>
        <Button variant="subtle" size="compact-xs" onClick={() => add(true)}>
          Add custom field
        </Button>
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          leftSection={<IconTrash size={14} aria-hidden />}
          onClick={() => confirm('Are you sure?', onRemove)}
        >
          {`Remove ${name}`}
        </Button>
        <span className={css['count']}>
          <MatchingCount isQuiet stages={isComplete ? eventRowStages({ conditions }) : null} />
        </span>
      </Group>
    </Paper>
  )
}
