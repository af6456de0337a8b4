import { Button, Group, Input } from '@mantine/core'
import type { ReactNode } from 'react'
import { eventPrefix } from '@portico/domain/pipeline/pipeline'
import { findEventField } from '@portico/domain/event-fields'
import { ConditionRow } from '../conditions/condition-row.tsx'
import { useRowFocus } from '../conditions/row-focus.ts'
import { type FigureDraft, newCondition } from '../draft.ts'
import { type FilterField, isEventField, operatorsFor } from '../stages/filter.ts'
import css from './group-tab.module.css'

type FigureConditionsProps = {
  /** Names the figure: `value 2`. */
  of: string
  figure: FigureDraft
  fields: readonly FilterField[]
  problems: Record<string, string>
  onChange: (conditions: FigureDraft['conditions']) => void
  /** Further buttons. */
  children: ReactNode
}

/** Own fields of events have no type of their own to compare by. An index finds rows, which are all read here. */
const offered = (fields: readonly FilterField[]): FilterField[] =>
  fields
    .filter(({ name }) => !isEventField(name) || findEventField(name.slice(eventPrefix.length)) !== undefined)
    .map((field) => ({ ...field, isIndexed: true }))

/** Conditions that say which contacts or events of a group a figure is computed of. */
export function FigureConditions({ of, figure, fields, problems, onChange, children }: FigureConditionsProps) {
  const { conditions } = figure
  const { newest, setAddButton, onAdded, onRemoved } = useRowFocus()
  const known = offered(fields)

  function add(): void {
    const condition = newCondition()
    onAdded(condition.key)
    onChange([...conditions, condition])
  }

  return (
    <>
      {conditions.length > 0 && (
        <Input.Wrapper label={`Only where, of ${of}`} labelElement="div" className={css['conditions'] ?? ''}>
          {conditions.map((condition, index) => (
            <ConditionRow
              key={condition.key}
              name={`condition ${index + 1} of ${of}`}
              condition={condition}
              fields={
                condition.field === '' || known.some(({ name }) => name === condition.field)
                  ? known
                  : [...known, { name: condition.field, type: condition.type, isIndexed: true }]
              }
              operators={operatorsFor}
              problems={problems}
              isNew={condition.key === newest}
              onChange={(next) => onChange(conditions.with(index, next))}
              onRemove={() => {
                onChange(conditions.toSpliced(index, 1))
                onRemoved()
              }}
            />
          ))}
        </Input.Wrapper>
      )}
      <Group gap="xs" mt={6}>
        <Button
          ref={setAddButton}
          variant="subtle"
          size="compact-xs"
          aria-label={`Add condition to ${of}`}
          onClick={add}
        >
          Add condition
        </Button>
        {children}
      </Group>
    </>
  )
}
