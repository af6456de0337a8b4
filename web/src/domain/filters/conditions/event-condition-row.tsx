import type { FieldType } from '@portico/contract/contacts'
import { Select, TextInput } from '@mantine/core'
import type { Keyed } from '../draft.ts'
import {
  behavioralFields,
  type EventCondition,
  type FilterField,
  listedEventFields,
  type Operator,
  withField,
} from '../stages/filter.ts'
import { ConditionRow } from './condition-row.tsx'
import css from './event-condition-row.module.css'
import { ListedValueInput } from './value-input.tsx'

type EventConditionRowProps = {
  name: string
  condition: Keyed<EventCondition>
  operators: (field: Pick<FilterField, 'name' | 'type'>) => readonly Operator[]
  problems: Record<string, string>
  isNew: boolean
  onChange: (condition: Keyed<EventCondition>) => void
  onRemove: () => void
}

/** Custom fields are compared by the type of their value: 40 is not the text "40". */
const customTypes = [
  { value: 'string', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'True or false' },
]

/** A custom field is typed by name, and its type is chosen. */
export function EventConditionRow(props: EventConditionRowProps) {
  const { name, condition, operators, problems, isNew, onChange, onRemove } = props
  const { key, field, operator, isCustom } = condition
  const nameInput = isCustom && (
    <div className={css['custom']}>
      <TextInput
        aria-label={`Custom field of ${name}`}
        placeholder="Custom field"
        maxLength={200}
        value={field}
        error={problems[`${key}.field`]}
        {...(isNew && { autoFocus: true })}
        onChange={(event) => onChange({ ...condition, field: event.currentTarget.value })}
      />
      <Select
        aria-label={`Type of ${name}`}
        data={customTypes}
        allowDeselect={false}
        value={condition.type}
        onChange={(chosen) => {
          // The options are the types.
          const type = chosen as FieldType
          onChange(withField(condition, { name: field, type, isIndexed: true }, operators({ name: field, type })))
        }}
      />
    </div>
  )
  const listed = !isCustom && operator === '=' && listedEventFields.includes(field) && (
    <ListedValueInput
      label={`Value of ${name}`}
      condition={condition}
      error={problems[`${key}.value`]}
      onChange={(value) => onChange({ ...condition, value })}
    />
  )
  return (
    <ConditionRow
      name={name}
      condition={condition}
      fields={behavioralFields}
      operators={operators}
      problems={problems}
      isNew={isNew}
      onChange={onChange}
      onRemove={onRemove}
      {...(nameInput && { fieldInput: nameInput })}
      {...(listed && { valueInput: listed })}
    />
  )
}
