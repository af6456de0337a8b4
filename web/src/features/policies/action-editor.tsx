import { actionInWords } from '@portico/contract/rights/action-words'
import { useId } from 'react'
import { ActionPicker } from './action-picker.tsx'
import { EntryBuilder } from './entry-builder.tsx'
import { EntryList } from './entry-list.tsx'
import css from './entry-list.module.css'
import {
  type ActionParts,
  joinAction,
  methodChoices,
  resourceChoices,
  serviceChoices,
  splitAction,
  PartSelect,
} from '#domain/access'
import { actionProblems } from './policy-rules.ts'
import { useEntryParts } from './use-entry-parts.ts'

type ActionEditorProps = {
  actions: string[]
  onChange: (actions: string[]) => void
  error?: string | undefined
  /** Reports whether something is chosen that has not become an action yet. */
  onOpenChange: (isOpen: boolean) => void
}

const nothing: ActionParts = { microservice: '', resource: '', method: '' }

/** The actions of a policy, each consisting of a service, a resource and a method, with `*` for all. */
export function ActionEditor({ actions, onChange, error, onOpenChange }: ActionEditorProps) {
  const titleId = useId()
  const { parts, edited, problems, setProblems, change, edit, onDeleted } = useEntryParts({
    nothing,
    partsOf: (index) => splitAction(actions[index] ?? ''),
    onOpenChange,
  })
  const submit = (): void => {
    const found = actionProblems(parts, actions, edited)
    setProblems(found)
    if (Object.keys(found).length > 0) return
    const action = joinAction(parts)
    onChange(edited === null ? [...actions, action] : actions.with(edited, action))
    edit(null)
  }
  return (
    <section aria-labelledby={titleId}>
      <div className={css['head']}>
        <h3 id={titleId}>Actions</h3>
      </div>
      <EntryList
        noun="action"
        entries={actions}
        edited={edited}
        onEdit={edit}
        onDelete={(index) => {
          onChange(actions.toSpliced(index, 1))
          onDeleted(index)
        }}
        keepReason={actions.length === 1 ? 'The last action cannot be deleted.' : null}
        empty="Add the actions that this policy allows."
        inWords={(action) => actionInWords(action).name}
      />
      {edited === null && <ActionPicker actions={actions} onPick={(action) => onChange([...actions, action])} />}
      <EntryBuilder
        noun="action"
        isEditing={edited !== null}
        error={error}
        onSubmit={submit}
        onCancel={() => edit(null)}
      >
        <PartSelect
          label="Microservice"
          data={serviceChoices}
          value={parts.microservice}
          error={problems.microservice}
          onChange={(microservice) => change({ ...parts, microservice, resource: '' })}
        />
        <PartSelect
          label="Resource"
          data={parts.microservice === '' ? [] : resourceChoices(parts.microservice)}
          value={parts.resource}
          error={problems.resource}
          onChange={(resource) => change({ ...parts, resource })}
        />
        <PartSelect
          label="Method"
          data={methodChoices}
          value={parts.method}
          error={problems.method}
          onChange={(method) => change({ ...parts, method })}
        />
      </EntryBuilder>
    </section>
  )
}
