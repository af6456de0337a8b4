import { type DatePart, dateParts, type KeyPart, type Period, periods } from '@portico/domain/pipeline/pipeline'
import { isDateType } from '@portico/contract/contacts'
import { Select, SimpleGrid, Text } from '@mantine/core'
import { type Draft, needsField, noGroup } from '../draft.ts'
import {
  behavioralFields,
  eventFieldName,
  type FilterField,
  type GroupBy,
  type GroupKey,
  groupLimits,
  groupOperators,
  isCalculable,
} from '../stages/filter.ts'
import css from './group-tab.module.css'
import type { TabProps } from '../props.ts'

type GroupTabProps = TabProps & {
  fields: readonly FilterField[]
  /** Whether a second level is offered. */
  hasSecondLevel: boolean
  needsSecondLevel: boolean
}

const periodNames: Record<Period, string> = {
  'by day': 'Day',
  'by week': 'Week',
  'by month': 'Month',
  'by quarter': 'Quarter',
  'by year': 'Year',
}
const partNames: Record<DatePart, string> = {
  month: 'Month of the year (all years together)',
  dayOfMonth: 'Day of the month (all months together)',
  dayOfWeek: 'Day of the week (all weeks together)',
  hour: 'Hour of the day (all days together)',
  year: 'Year as a number',
}
// In the order of the list.
const partsInOrder = Object.keys(partNames) as DatePart[]

/** Groups the results by one or two fields, and computes a value for each group. */
export function GroupTab({ draft, onChange, problems, fields, hasSecondLevel, needsSecondLevel }: GroupTabProps) {
  const group = draft.groupBy
  const known = [...fields, ...behavioralFields.map((field) => ({ ...field, name: eventFieldName(field.name) }))]
  const change = (part: Partial<Draft['groupBy']>): void => onChange({ ...draft, groupBy: { ...group, ...part } })
  // A first level equal to the second would leave nothing to distinguish groups by.
  const changeId = (id: GroupKey | null): void => {
    if (id === null) return change(noGroup)
    const isOther = group.id2 !== null && !isSame(group.id2, id)
    // Groups of dates are sorted chronologically.
    change({ id, id2: isOther ? group.id2 : null, ...(id.part !== null && id.field !== group.id?.field && byId) })
  }
  return (
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
      {group.id !== null && <ValueInputs group={group} change={change} fields={known} problems={problems} />}
      {group.id === null && (
        <Text size="xs" c="dimmed" className={css['hint'] ?? ''}>
          Without a field, contacts are listed individually.
        </Text>
      )}
    </SimpleGrid>
  )
}

const byId = { sortBy: 'id', sort: 1 } as const

const isSame = (one: GroupKey, other: GroupKey): boolean => one.field === other.field && one.part === other.part

type KeyInputsProps = {
  label: string
  fields: readonly FilterField[]
  value: GroupKey | null
  onChange: (key: GroupKey | null) => void
  /** The key of the other level, which cannot be chosen here as well. */
  taken?: GroupKey | null
  isRequired?: boolean
  error?: string | undefined
}

/** A field, and of dates the periods or the part that counts; these are months across years unless chosen otherwise. */
function KeyInputs({ label, fields, value, onChange, taken = null, isRequired = false, error }: KeyInputsProps) {
  const partsOf = ({ name, type }: FilterField): KeyPart[] =>
    (['by month', 'by year', ...periods, ...dateParts] as const)
      .filter((part) => taken?.field !== name || taken.part !== part)
      // A day has no time.
      .filter((part) => type !== 'day' || part !== 'hour')
  const chosen = fields.find(({ name }) => name === value?.field)
  return (
    <>
      <Select
        label={label}
        placeholder="Field"
        searchable
        clearable
        limit={100}
        nothingFoundMessage="Nothing found"
        withAsterisk={isRequired}
        error={error}
        clearButtonProps={{ 'aria-label': `Clear ${label}` }}
        data={fields.map(({ name }) => name)}
        value={value?.field ?? null}
        onChange={(name) => {
          const field = fields.find((one) => one.name === name)
          const part = field && isDateType(field.type) ? partsOf(field)[0] : undefined
          onChange(field ? { field: field.name, part: part ?? null } : null)
        }}
      />
      {value && chosen && isDateType(chosen.type) && (
        <Select
          label={`${label}: part of the date`}
          data={[
            { group: 'In order of time', items: choicesOf(periods, periodNames) },
            { group: 'Parts of the date', items: choicesOf(partsInOrder, partNames) },
          ].map(({ group, items }) => ({
            group,
            items: items.filter((one) => partsOf(chosen).includes(one.value) || one.value === value.part),
          }))}
          allowDeselect={false}
          value={value.part}
          // The options are periods and parts.
          onChange={(part) => onChange({ ...value, part: part as KeyPart })}
        />
      )}
    </>
  )
}

const choicesOf = <Part extends KeyPart>(parts: readonly Part[], names: Record<Part, string>) =>
  parts.map((part): { value: KeyPart; label: string } => ({ value: part, label: names[part] }))

type ValueInputsProps = {
  group: Draft['groupBy']
  change: (part: Partial<Draft['groupBy']>) => void
  fields: readonly FilterField[]
  problems: Record<string, string>
}

function ValueInputs({ group, change, fields, problems }: ValueInputsProps) {
  const wantsNumbers = group.operator === 'sum' || group.operator === 'avg'
  const columns = fields.filter((field) => !wantsNumbers || isCalculable(field))
  return (
    <>
      <Select
        label="Operator"
        withAsterisk
        data={[...groupOperators]}
        allowDeselect={false}
        value={group.operator}
        error={problems['operator']}
        onChange={(chosen) => {
          // The options are the operators.
          const operator = chosen as GroupBy['operator']
          change({
            operator,
            ...(!needsField(operator) && { field: null }),
            ...(operator === 'distinct' && { sortBy: 'id' }),
          })
        }}
      />
      {needsField(group.operator) && (
        <Select
          label="Column"
          withAsterisk
          searchable
          limit={100}
          nothingFoundMessage="Nothing found"
          data={columns.map(({ name }) => name)}
          value={group.field}
          error={problems['field']}
          onChange={(field) => change({ field })}
        />
      )}
      <Select
        label="Sort by"
        data={[
          { value: 'id', label: 'ID' },
          { value: 'value', label: 'Value', disabled: group.operator === 'distinct' },
        ]}
        allowDeselect={false}
        value={group.sortBy}
        onChange={(sortBy) => change({ sortBy: sortBy === 'value' ? 'value' : 'id' })}
      />
      <Select
        label="Sort"
        data={[
          { value: '1', label: 'Ascending' },
          { value: '-1', label: 'Descending' },
        ]}
        allowDeselect={false}
        value={String(group.sort)}
        onChange={(sort) => change({ sort: sort === '-1' ? -1 : 1 })}
      />
      <Select
        label="Limit"
        withAsterisk
        data={groupLimits.map(String)}
        allowDeselect={false}
        value={String(group.limit)}
        onChange={(limit) => change({ limit: Number(limit) })}
      />
    </>
  )
}
