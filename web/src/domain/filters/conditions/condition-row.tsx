import { ActionIcon, Select } from '@mantine/core'
import type { ReactNode } from 'react'
import IconTrash from '#icons/IconTrash'
import css from './condition-row.module.css'
import type { Keyed } from '../draft.ts'
import { type Condition, type FilterField, type Operator, valuelessOperators, withField } from '../stages/filter.ts'
import { ValueInput } from './value-input.tsx'

type ConditionRowProps<C extends Condition> = {
  /** Names the row for screen readers: `condition 2`. */
  name: string
  condition: Keyed<C>
  fields: readonly FilterField[]
  operators: (field: FilterField) => readonly Operator[]
  problems: Record<string, string>
  onChange: (condition: Keyed<C>) => void
  onRemove: () => void
  /** Just added; takes the focus. */
  isNew?: boolean
  /** Replaces the list of fields. */
  fieldInput?: ReactNode
  /** Replaces the input for the field's type. */
  valueInput?: ReactNode
  /** Below the row. */
  foot?: ReactNode
}

/** Field, operator and value of one condition, side by side. */
export function ConditionRow<C extends Condition>(props: ConditionRowProps<C>) {
  const { name, condition, fields, operators, problems, onChange } = props
  const allowed = operators({ name: condition.field, type: condition.type, isIndexed: true })
  return (
    <fieldset className={css['row']}>
      <legend className={css['legend']}>{name}</legend>
      {props.fieldInput ?? (
        <Select
          aria-label={`Field of ${name}`}
          placeholder="Field"
          searchable
          limit={100}
          nothingFoundMessage="Nothing found"
          data={offered(fields)}
          value={condition.field || null}
          error={problems[`${condition.key}.field`]}
          {...(props.isNew && { autoFocus: true })}
          onChange={(chosen) => {
            const field = fields.find((one) => one.name === chosen)
            if (field) onChange(withField(condition, field, operators(field)))
          }}
        />
      )}
      <Select
        aria-label={`Operator of ${name}`}
        data={allowed.map((value) => ({ value, label: valuelessOperators[value] ?? value }))}
        allowDeselect={false}
        value={condition.operator}
        onChange={(chosen) => {
          // The options are the operators.
          const operator = chosen as Operator
          const needsNone = valuelessOperators[operator] !== undefined
          onChange({ ...condition, operator, ...(needsNone && { value: '' }) })
        }}
      />
      <div className={css['value']}>
        {valuelessOperators[condition.operator] === undefined &&
          (props.valueInput ?? (
            <ValueInput
              label={`Value of ${name}`}
              condition={condition}
              error={problems[`${condition.key}.value`]}
              onChange={(value) => onChange({ ...condition, value })}
            />
          ))}
      </div>
      <ActionIcon aria-label={`Remove ${name}`} mt={1} onClick={props.onRemove}>
        <IconTrash size={16} aria-hidden />
      </ActionIcon>
      {props.foot && <div className={css['foot']}>{props.foot}</div>}
    </fieldset>
  )
}

/** Indexed fields come first, because filters on them are fast. */
function offered(fields: readonly FilterField[]) {
  const namesOf = (isIndexed: boolean) => fields.filter((one) => one.isIndexed === isIndexed).map(({ name }) => name)
  const [ready, others] = [namesOf(true), namesOf(false)]
  if (others.length === 0) return ready
  return [
    { group: 'Indexed', items: ready },
    { group: 'No index yet', items: others },
  ]
}
