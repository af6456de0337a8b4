import { conditionOperators, conditionOptions } from '@portico/contract/policies'
import { conditionInWords } from '@portico/contract/rights/condition-words'
import { Switch, Text, TextInput } from '@mantine/core'
import { useId } from 'react'
import { EntryBuilder } from './entry-builder.tsx'
import { EntryList } from './entry-list.tsx'
import css from './entry-list.module.css'
import { PartSelect } from '#domain/access'
import {
  checkCondition,
  emptyCondition,
  isParam,
  nextParamKey,
  renumberParams,
  splitCondition,
  valueNote,
} from './policy-rules.ts'
import { useEntryParts } from './use-entry-parts.ts'

type ConditionEditorProps = {
  conditions: string[]
  logic: 'and' | 'or'
  onChange: (conditions: string[]) => void
  onLogicChange: (logic: 'and' | 'or') => void
  error?: string | undefined
  /** Reports whether something is entered that has not become a condition yet. */
  onOpenChange: (isOpen: boolean) => void
}

/** The conditions under which a policy allows its actions, and how they are joined. */
export function ConditionEditor(props: ConditionEditorProps) {
  const { conditions, logic, onChange, onLogicChange, error, onOpenChange } = props
  const titleId = useId()
  const { parts, edited, problems, setProblems, change, edit, onDeleted } = useEntryParts({
    nothing: emptyCondition,
    partsOf: (index) => splitCondition(conditions[index] ?? ''),
    onOpenChange,
  })
  const submit = (): void => {
    const checked = checkCondition(parts, conditions, edited)
    if ('problems' in checked) return setProblems(checked.problems)
    onChange(edited === null ? [...conditions, checked.text] : withChanged(conditions, edited, checked.text))
    edit(null)
  }
  const remove = (index: number): void => {
    const left = withoutOne(conditions, index)
    onChange(left)
    onDeleted(index)
    // The condition being typed is numbered after the remaining ones.
    if (edited === null && parts.option === 'param') change({ ...parts, key: nextParamKey(left) })
  }
  const chooseOption = (option: string): void => {
    const key = option === 'param' ? nextParamKey(conditions) : parts.option === 'param' ? '' : parts.key
    change({ ...parts, option, key })
  }
  return (
    <section aria-labelledby={titleId}>
      <div className={css['head']}>
        <h3 id={titleId}>Conditions</h3>
        {conditions.length > 1 && (
          <Switch
            label="Joint logic"
            labelPosition="left"
            size="md"
            styles={{ label: { fontSize: 13 } }}
            onLabel="AND"
            offLabel="OR"
            checked={logic === 'and'}
            onChange={({ currentTarget }) => onLogicChange(currentTarget.checked ? 'and' : 'or')}
          />
        )}
      </div>
      {conditions.length > 1 && (
        <Text size="xs" c="dimmed" mb={6}>
          {logic === 'and' ? 'All conditions must be met.' : 'One of the conditions must be met.'}
        </Text>
      )}
      <EntryList
        noun="condition"
        entries={conditions}
        edited={edited}
        onEdit={edit}
        onDelete={remove}
        empty="Without conditions the actions are always allowed."
        inWords={(condition) => capitalize(conditionInWords(condition))}
      />
      <EntryBuilder
        noun="condition"
        isEditing={edited !== null}
        error={error}
        onSubmit={submit}
        onCancel={() => edit(null)}
        fields={4}
      >
        <PartSelect
          label="Option"
          data={conditionOptions}
          value={parts.option}
          error={problems.option}
          onChange={chooseOption}
        />
        <TextInput
          label="Key"
          value={parts.key}
          error={problems.key}
          onChange={({ currentTarget: { value: key } }) => change({ ...parts, key })}
        />
        <PartSelect
          label="Operator"
          data={conditionOperators}
          value={parts.operator}
          error={problems.operator}
          onChange={(operator) => change({ ...parts, operator })}
        />
        <TextInput
          label="Value"
          description={valueNote(parts)}
          value={parts.value}
          error={problems.value}
          onChange={({ currentTarget: { value } }) => change({ ...parts, value })}
        />
      </EntryBuilder>
    </section>
  )
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** When a path parameter is edited or removed, the keys of all of them are renumbered (specification 2 §4). */
function withChanged(conditions: readonly string[], index: number, text: string): string[] {
  const next = conditions.with(index, text)
  return isParam(conditions[index] ?? '') || isParam(text) ? renumberParams(next) : next
}

function withoutOne(conditions: readonly string[], index: number): string[] {
  const next = conditions.toSpliced(index, 1)
  return isParam(conditions[index] ?? '') ? renumberParams(next) : next
}
