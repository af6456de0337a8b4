import type { Policy } from '@portico/contract/policies'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { NameList } from '#ui/page/name-list.tsx'
import { levelOf } from '#domain/access'
import { ActionList } from '#domain/rights'
import { conditionsInWords } from '@portico/contract/rights/condition-words'

/** Content of a policy's expanded row. */
export function PolicyDetails({ policy }: { policy: Policy }) {
  const { _id, actions, conditions, conditionLogic, ownerPaid, groups } = policy
  const joint = conditions.length > 1 ? ` (joined by ${conditionLogic})` : ''
  return (
    <DefinitionList
      label={`Details of ${policy.name}`}
      items={[
        { term: 'ID', value: _id },
        { term: 'Level', value: levelOf(ownerPaid) },
        { term: 'Groups', value: groups.join(', ') },
        { term: `Actions (${actions.length})`, value: <ActionList actions={actions} />, isWide: true, key: 'actions' },
        {
          term: `Conditions (${conditions.length})${joint}`,
          value: (
            <>
              {conditionsInWords(conditions, conditionLogic)}
              {conditions.length > 0 && <NameList names={conditions} />}
            </>
          ),
          isWide: true,
          key: 'conditions',
        },
      ]}
    />
  )
}
