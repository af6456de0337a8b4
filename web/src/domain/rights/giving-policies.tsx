import { conditionsInWords } from '@portico/contract/rights/condition-words'
import type { GivingPolicy } from './givers.ts'
import css from './rights.module.css'

/** The policies that give an action, each with its groups and, if the viewer may read it, its action and conditions. */
export function GivingPolicies({ by }: { by: readonly GivingPolicy[] }) {
  return (
    <ul className={css['policies']}>
      {by.map((policy) => (
        <li key={`${policy.aid} ${policy.policy} ${policy.groups.join()}`}>
          <Giving giving={policy} />
        </li>
      ))}
    </ul>
  )
}

function Giving({ giving: { policy, groups, text, action } }: { giving: GivingPolicy }) {
  const hasConditions = text !== null && text.conditions.length > 0
  return (
    <>
      {`By the policy '${policy}', from ${groups.join(', ')}`}
      {text === null && '. Its text is for those who may view policies.'}
      {text !== null && (
        <>
          {': '}
          <code>{action}</code>
        </>
      )}
      {hasConditions && (
        <>
          {'. '}
          {conditionsInWords(text.conditions, text.conditionLogic)}{' '}
          {text.conditions.map((condition) => (
            <code key={condition}>{`${condition} `}</code>
          ))}
        </>
      )}
    </>
  )
}
