import type { AccountRole, EffectiveRights } from '@portico/contract/rights'
import { Button } from '@mantine/core'
import { useId, useState } from 'react'
import IconListCheck from '#icons/IconListCheck'
import { messageOf } from '#lib/api/api-error.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { LoadingBlock } from '#ui/feedback/loading-block.tsx'
import { useRightsOf } from '#domain/access'
import { RightsByArea } from '#domain/rights'
import css from './access-explanation.module.css'
import { RowRuleText } from './row-rule-text.tsx'

/** All rights of an identity's holder in the account, in plain words, once they are asked for. */
export function RightsPanel({ email, name }: { email: string; name: string }) {
  const titleId = useId()
  const [isOpen, setOpen] = useState(false)
  const query = useRightsOf(email, isOpen)
  return (
    <section className={css['panel']} aria-labelledby={titleId}>
      <h3 id={titleId}>All that {name} may do</h3>
      <Button
        variant="default"
        aria-expanded={isOpen}
        leftSection={<IconListCheck size={15} aria-hidden />}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? 'Hide rights' : 'Show rights'}
      </Button>
      <div aria-live="polite">
        {isOpen && query.error && (
          <FailureState message={messageOf(query.error)} onRetry={() => void query.refetch()} />
        )}
        {isOpen && query.isPending && <LoadingBlock h={200} mt="sm" />}
        {isOpen && query.data && (
          <>
            <Summary rights={query.data} />
            <RightsByArea rights={query.data.rights} policies={query.data.policies} />
          </>
        )}
      </div>
    </section>
  )
}

const roles: Record<AccountRole, string> = {
  'power-admin': 'A power admin. ',
  'power-user': 'A power user of this account. ',
  member: '',
}

function Summary({ rights: { role, hasHiddenPolicies, identities } }: { rights: EffectiveRights }) {
  return (
    <div className={css['answer']}>
      <p className={css['note']}>
        {`${roles[role]}These rights apply when days, hours and networks allow it; some only to requests that meet conditions.`}
        {hasHiddenPolicies &&
          ' What identities outside this account give is visible to power admins, and not included.'}
      </p>
      <ul className={css['facts']}>
        {identities.map(({ aid, refusal, limits, rowRule }) => (
          <li key={aid}>
            <strong>{aid === '*' ? 'Global identity' : `Identity in account ${aid}`}</strong>
            {': '}
            {refusal ?? (limits.length > 0 ? `only within ${limits.join(', ')}.` : 'at any time, from anywhere.')}
            {refusal === null && rowRule !== null && (
              <>
                {' Contacts: '}
                <RowRuleText rule={rowRule} />
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
