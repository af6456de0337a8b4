import { Button, Input } from '@mantine/core'
import IconPlus from '#icons/IconPlus'
import { EventConditionRow } from '../conditions/event-condition-row.tsx'
import { useRowFocus } from '../conditions/row-focus.ts'
import { type GroupDraft, newEventCondition } from '../draft.ts'
import { operatorsFor } from '../stages/filter.ts'
import css from './group-tab.module.css'

type GroupEventsProps = {
  events: GroupDraft['events']
  problems: Record<string, string>
  onChange: (events: GroupDraft['events']) => void
}

/** Conditions on the events that are grouped. Those of the other tabs choose contacts, all of whose events count. */
export function GroupEvents({ events, problems, onChange }: GroupEventsProps) {
  const { newest, setAddButton, onAdded, onRemoved } = useRowFocus()

  function add(): void {
    const condition = newEventCondition()
    onAdded(condition.key)
    onChange([...events, condition])
  }

  return (
    <Input.Wrapper
      label="Only events that meet"
      labelElement="div"
      description="The other tabs choose contacts. Without a condition here, all of their events count."
      className={css['part'] ?? ''}
    >
      {events.map((condition, index) => (
        <EventConditionRow
          key={condition.key}
          name={`event condition ${index + 1}`}
          condition={condition}
          operators={operatorsFor}
          problems={problems}
          isNew={condition.key === newest}
          onChange={(next) => onChange(events.with(index, next))}
          onRemove={() => {
            onChange(events.toSpliced(index, 1))
            onRemoved()
          }}
        />
      ))}
      <Button
        ref={setAddButton}
        variant="default"
        size="xs"
        mt={6}
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={add}
      >
        Add event condition
      </Button>
    </Input.Wrapper>
  )
}
