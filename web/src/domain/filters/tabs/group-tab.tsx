import { isDateType } from '@portico/contract/contacts'
import { useMemo } from 'react'
import { Select, SimpleGrid, Text } from '@mantine/core'
import { useOwnEventFields } from '#domain/fields'
import { columnsOf, type Draft, type GroupDraft, noGroup } from '../draft.ts'
import { type FilterField, type GroupKey, groupLimits, groupFields } from '../stages/filter.ts'
import { readsEvents } from '../stages/group-stages.ts'
import { GroupEvents } from './group-events.tsx'
import { KeyInputs } from './group-key-inputs.tsx'
import { GroupMeasures } from './group-measures.tsx'
import css from './group-tab.module.css'
import type { TabProps } from '../props.ts'

type GroupTabProps = TabProps & {
  fields: readonly FilterField[]
  /** Whether a second level is offered. */
  hasSecondLevel: boolean
  needsSecondLevel: boolean
}

/** Groups contacts or their events by one or two fields, and computes values of each group. */
export function GroupTab({ draft, onChange, problems, fields, hasSecondLevel, needsSecondLevel }: GroupTabProps) {
  const group = draft.groupBy
  const { data: ownOfEvents } = useOwnEventFields()
  const known = useMemo(() => groupFields(fields, ownOfEvents ?? []), [fields, ownOfEvents])
  const change = (part: Partial<Draft['groupBy']>): void => onChange({ ...draft, groupBy: { ...group, ...part } })
  // A first level equal to the second would leave nothing to distinguish groups by.
  const changeId = (id: GroupKey | null): void => {
    if (id === null) return change(noGroup())
    const isOther = group.id2 !== null && !isSame(group.id2, id)
    // Groups of dates are sorted chronologically.
    change({ id, id2: isOther ? group.id2 : null, ...(id.part !== null && id.field !== group.id?.field && byId) })
  }
  const isOfEvents = group.isOfEvents || readsEvents(group)
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm" verticalSpacing="sm">
        <KeyInputs label="Group by" fields={known} value={group.id} onChange={changeId} />
        {group.id !== null && hasSecondLevel && (
          <KeyInputs
            label="Group by 2"
            fields={known.filter(({ name, type }) => isDateType(type) || name !== group.id?.field)}
            value={group.id2}
            taken={group.id}
            isRequired={needsSecondLevel}
            error={problems['id2']}
            onChange={(id2) => change({ id2 })}
          />
        )}
        {group.id === null && (
          <Text size="xs" c="dimmed" className={css['hint'] ?? ''}>
            Without a field, contacts are listed individually.
          </Text>
        )}
      </SimpleGrid>
      {group.id !== null && (
        <>
          <GroupMeasures group={group} change={change} fields={known} problems={problems} />
          <OrderInputs group={group} change={change} isOfEvents={isOfEvents} />
          {isOfEvents && (
            <GroupEvents events={group.events} problems={problems} onChange={(events) => change({ events })} />
          )}
        </>
      )}
    </>
  )
}

const byId = { sortBy: 'id', sort: 1 } as const

const isSame = (one: GroupKey, other: GroupKey): boolean => one.field === other.field && one.part === other.part

type OrderInputsProps = {
  group: GroupDraft
  change: (part: Partial<GroupDraft>) => void
  isOfEvents: boolean
}

const none = 'none'

function OrderInputs({ group, change, isOfEvents }: OrderInputsProps) {
  const { measures, sortBy, sort, limit } = group
  const usual = columnsOf(group)
  const nameOf = (index: number): string =>
    measures.length === 1 ? 'Value' : `Value: ${(measures[index]?.name.trim() || usual[index]) ?? ''}`
  return (
    <SimpleGrid cols={{ base: 1, sm: 4 }} spacing="sm" verticalSpacing="sm" className={css['part'] ?? ''}>
      <Select
        label="Count"
        data={[
          { value: 'contacts', label: 'Contacts', disabled: readsEvents(group) },
          { value: 'events', label: 'Events' },
        ]}
        allowDeselect={false}
        value={isOfEvents ? 'events' : 'contacts'}
        onChange={(chosen) => change({ isOfEvents: chosen === 'events' })}
      />
      <Select
        label="Sort by"
        data={[
          { value: 'id', label: 'ID' },
          ...measures.map(({ operator }, index) => ({
            value: String(index),
            label: nameOf(index),
            disabled: operator === 'distinct',
          })),
          { value: none, label: 'None' },
        ]}
        allowDeselect={false}
        value={sortBy === null ? none : String(sortBy)}
        onChange={(chosen) => change({ sortBy: chosen === none ? null : chosen === 'id' ? 'id' : Number(chosen) })}
      />
      <Select
        label="Sort"
        data={[
          { value: '1', label: 'Ascending' },
          { value: '-1', label: 'Descending' },
        ]}
        allowDeselect={false}
        disabled={sortBy === null}
        value={String(sort)}
        onChange={(chosen) => change({ sort: chosen === '-1' ? -1 : 1 })}
      />
      <Select
        label="Limit"
        withAsterisk
        data={[
          ...groupLimits.map(String),
          // Only ready-made groups have none.
          ...(limit === null ? [{ value: none, label: 'None' }] : []),
        ]}
        allowDeselect={false}
        value={limit === null ? none : String(limit)}
        onChange={(chosen) => change({ limit: chosen === none ? null : Number(chosen) })}
      />
    </SimpleGrid>
  )
}
