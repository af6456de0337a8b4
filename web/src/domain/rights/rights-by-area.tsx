import type { EffectiveRights } from '@portico/contract/rights'
import { actionInWords, findAction } from '@portico/contract/rights/action-words'
import { areas } from '@portico/contract/rights/action-names'
import { Badge } from '@mantine/core'
import { useId } from 'react'
import { ActionLabel } from './action-label.tsx'
import { giversFrom, type GivingPolicy } from './givers.ts'
import { GivingPolicies } from './giving-policies.tsx'
import css from './rights.module.css'

type Right = Omit<EffectiveRights['rights'][number], 'by'> & { by: GivingPolicy[] }

/** Rights by area of the portal: those that are given, each with its policies, and the names of those that are not. */
export function RightsByArea({ rights: given, policies }: Pick<EffectiveRights, 'rights' | 'policies'>) {
  const rights = given.map(({ by, ...right }): Right => ({ ...right, by: giversFrom(by, policies) }))
  return (
    <div className={css['areas']}>
      {areas.map((area) => (
        <AreaRights key={area} area={area} rights={rights.filter(({ action }) => findAction(action)?.area === area)} />
      ))}
    </div>
  )
}

function AreaRights({ area, rights }: { area: string; rights: readonly Right[] }) {
  const titleId = useId()
  const given = rights.filter(({ may }) => may !== 'never')
  const missing = rights.filter(({ may }) => may === 'never').map(({ action }) => actionInWords(action).name)
  return (
    <section className={css['area']} aria-labelledby={titleId}>
      <h4 id={titleId}>
        {area} <span className={css['count']}>{`${given.length} of ${rights.length}`}</span>
      </h4>
      {given.length > 0 && (
        <ul className={css['rights']}>
          {given.map(({ action, may, by }) => (
            <li key={action}>
              <ActionLabel action={action} hasSentence />
              {may === 'conditions' && (
                <Badge color="yellow" tt="none">
                  under conditions
                </Badge>
              )}
              <GivingPolicies by={by} />
            </li>
          ))}
        </ul>
      )}
      {missing.length > 0 && <p className={css['missing']}>{`May not: ${missing.join(', ')}.`}</p>}
    </section>
  )
}
