import type { May, PolicyEffect } from '@portico/contract/rights'
import { actionInWords } from '@portico/contract/rights/action-words'
import { Loader, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useId } from 'react'
import { formatCount, formatNumber } from '#lib/formats.ts'
import { type PolicyDraft, usePolicyEffects } from './effects-queries.ts'
import css from './policy-effects.module.css'

const typingPauseMs = 350

/** Lists whose rights change if a policy is saved as it is in the form. */
export function PolicyEffects({ id, draft }: { id: string; draft: PolicyDraft }) {
  const titleId = useId()
  const [settled] = useDebouncedValue(draft, typingPauseMs)
  const query = usePolicyEffects(id, settled)
  const isCurrent = isSameDraft(settled, draft) && !query.isFetching
  return (
    <section className={css['effects']} aria-labelledby={titleId} aria-busy={!isCurrent}>
      <h3 id={titleId}>Who gains and who loses {!isCurrent && <Loader size={12} aria-hidden />}</h3>
      {query.isError && (
        <Text size="sm" c="dimmed">
          {query.error.message}
        </Text>
      )}
      {query.data?.length === 0 && <Text size="sm">No one gains or loses anything by this change.</Text>}
      {query.data?.map((effect) => (
        <Effect key={JSON.stringify([effect.role, effect.changes])} effect={effect} />
      ))}
    </section>
  )
}

/** Whether two drafts give the same: in the same order, as it is kept. */
export const isSameDraft = (one: PolicyDraft, other: PolicyDraft): boolean => textOf(one) === textOf(other)

const textOf = ({ actions, conditions, conditionLogic }: PolicyDraft): string =>
  JSON.stringify([actions, conditions, conditions.length > 1 && conditionLogic])

const named = 3

function Effect({ effect: { count, holders, role, changes } }: { effect: PolicyEffect }) {
  const names = holders.slice(0, named).map(({ email }) => email)
  const more = count > names.length ? ` and ${formatNumber(count - names.length)} more` : ''
  const accounts = new Set(holders.map(({ account }) => account)).size
  const where = accounts > 1 ? ` in ${accounts}${count > holders.length ? ' or more' : ''} accounts` : ''
  const lines = [
    { term: 'Gain', actions: changes.filter((change) => rank(change.after) > rank(change.before)) },
    { term: 'Lose', actions: changes.filter((change) => rank(change.after) < rank(change.before)) },
    { term: 'Under other conditions', actions: changes.filter((change) => change.after === change.before) },
  ]
  return (
    <div className={css['effect']}>
      <Text size="sm">
        <strong>{`${formatCount(count, 'person', 'people')}${where}`}</strong>
        {names.length > 0 && `: ${names.join(', ')}${more}`}
      </Text>
      {role.before !== role.after && <Text size="sm">{roleText(role)}</Text>}
      <dl>
        {lines
          .filter(({ actions }) => actions.length > 0)
          .map(({ term, actions }) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{actions.map(changeText).join(', ')}</dd>
            </div>
          ))}
      </dl>
    </div>
  )
}

const ranks: readonly May[] = ['never', 'conditions', 'always']
const rank = (may: May): number => ranks.indexOf(may)

function changeText({ action, before, after }: PolicyEffect['changes'][number]): string {
  const { name } = actionInWords(action)
  if (before === after || (before !== 'conditions' && after !== 'conditions')) return name
  return after === 'conditions' ? `${name} (only under conditions)` : `${name} (until now under conditions)`
}

const roleNames = { 'power-admin': 'power admins', 'power-user': 'power users', member: 'members' }

function roleText({ before, after }: PolicyEffect['role']): string {
  if (after === 'member') return `They are no longer ${roleNames[before]}.`
  return `They become ${roleNames[after]}, who may do everything in the account and administer its people.`
}
