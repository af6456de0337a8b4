import type { Explanation } from '@portico/contract/explain'
import { actionInWords } from '@portico/contract/rights/action-words'
import { conditionInWords } from '@portico/contract/rights/condition-words'
import { Alert, Button, TextInput, VisuallyHidden } from '@mantine/core'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import IconCheck from '#icons/IconCheck'
import IconQuestionMark from '#icons/IconQuestionMark'
import IconX from '#icons/IconX'
import { messages } from '@portico/contract/messages'
import { messageOf } from '#lib/api/api-error.ts'
import { formatDate } from '#lib/formats.ts'
import {
  type ActionParts,
  joinAction,
  methodChoices,
  PartSelect,
  resourceChoices,
  serviceChoices,
  useExplain,
} from '#domain/access'
import css from './access-explanation.module.css'
import { RowRuleText } from './row-rule-text.tsx'

const single = (choices: readonly string[]): string[] => choices.filter((choice) => choice !== '*')
const nothing: ActionParts = { microservice: '', resource: '', method: '' }

/** Asks whether an identity may do something, and shows the reason. */
export function AccessExplanation({ email, name }: { email: string; name: string }) {
  const titleId = useId()
  const [parts, setParts] = useState(nothing)
  const [address, setAddress] = useState('')
  const [isChecked, setChecked] = useState(false)
  const explain = useExplain()
  const missing = (part: string): string | undefined => (isChecked && part === '' ? messages.required : undefined)
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault()
    setChecked(true)
    if (Object.values(parts).includes('')) return
    explain.mutate({ email, action: joinAction(parts), ...(address.trim() && { address: address.trim() }) })
  }
  return (
    <section className={css['panel']} aria-labelledby={titleId}>
      <h3 id={titleId}>May {name} do this?</h3>
      <form className={css['form']} noValidate onSubmit={onSubmit}>
        <PartSelect
          label="Microservice"
          data={single(serviceChoices)}
          value={parts.microservice}
          error={missing(parts.microservice)}
          onChange={(microservice) => setParts({ ...parts, microservice, resource: '' })}
        />
        <PartSelect
          label="Resource"
          data={parts.microservice === '' ? [] : single(resourceChoices(parts.microservice))}
          value={parts.resource}
          error={missing(parts.resource)}
          onChange={(resource) => setParts({ ...parts, resource })}
        />
        <PartSelect
          label="Method"
          data={single(methodChoices)}
          value={parts.method}
          error={missing(parts.method)}
          onChange={(method) => setParts({ ...parts, method })}
        />
        <TextInput
          label="From address"
          placeholder="Yours"
          maxLength={45}
          value={address}
          onChange={({ currentTarget: { value } }) => setAddress(value)}
        />
        <Button
          type="submit"
          variant="default"
          leftSection={<IconQuestionMark size={15} aria-hidden />}
          loading={explain.isPending}
        >
          Why?
        </Button>
      </form>
      <div aria-live="polite">
        {explain.error && (
          <Alert color="red" mt="sm">
            {messageOf(explain.error)}
          </Alert>
        )}
        {explain.data && <Answer explanation={explain.data} />}
      </div>
    </section>
  )
}

const limitNames = {
  account: 'Account',
  identity: 'Identity',
  twoFactor: 'Two-factor',
  days: 'Days',
  hours: 'Hours',
  cidr: 'Network',
}

function Answer({ explanation }: { explanation: Explanation }) {
  const { isAllowed, reason, action, features, at, address, identities, hasHiddenPolicies } = explanation
  return (
    <div className={css['answer']}>
      <Alert
        color={isAllowed ? 'green' : 'red'}
        icon={isAllowed ? <IconCheck size={18} /> : <IconX size={18} />}
        title={isAllowed ? 'Allowed' : 'Denied'}
      >
        {reason}
      </Alert>
      <p className={css['note']}>
        {`${actionInWords(action).name} · ${action} · evaluated for ${formatDate(at)} from ${address}`}
        {features.length > 0 && ` · in the portal: ${features.join(', ')}`}
      </p>
      {identities.map((identity) => (
        <section key={identity.aid} className={css['identity']}>
          <h4>
            {identity.aid === '*' ? 'Global identity' : `Identity in account ${identity.aid}`}
            {!identity.counts && ' – does not apply here'}
          </h4>
          <ul>
            {identity.limits.map(({ limit, rule, isMet }) => (
              <Check key={limit} isMet={isMet}>{`${limitNames[limit]}: ${rule}`}</Check>
            ))}
            {identity.rowRule && (
              <li>
                Contacts: <RowRuleText rule={identity.rowRule} />
              </li>
            )}
            {identity.policies.map((policy) => (
              <PolicyLine key={policy.policy} policy={policy} />
            ))}
          </ul>
        </section>
      ))}
      {hasHiddenPolicies && (
        <section className={css['identity']}>
          <h4>Policies held outside this account (visible to power admins)</h4>
        </section>
      )}
    </div>
  )
}

type PolicyCheck = Explanation['identities'][number]['policies'][number]

const outcomes: Record<PolicyCheck['outcome'], string> = {
  grants: 'allows it',
  action: 'has no matching action',
  condition: 'its conditions are not met',
}

function PolicyLine({
  policy: { policy, groups, outcome, action, conditions, conditionLogic },
}: {
  policy: PolicyCheck
}) {
  const joint = conditions.length > 1 ? ` (joined by ${conditionLogic})` : ''
  return (
    <Check isMet={outcome === 'grants'}>
      {`Policy '${policy}' (from ${groups.join(', ')}) ${outcomes[outcome]}`}
      {action !== null && `: ${action}`}
      {conditions.length > 0 && (
        <ul aria-label={`Conditions of ${policy}${joint}`}>
          {conditions.map(({ condition, isMet, failed }) => (
            <Check key={condition} isMet={isMet}>
              {`${condition} (${conditionInWords(condition)})`}
              {failed !== null && ` – not met by "${failed}"`}
            </Check>
          ))}
        </ul>
      )}
    </Check>
  )
}

function Check({ isMet, children }: { isMet: boolean; children: ReactNode }) {
  const Icon = isMet ? IconCheck : IconX
  return (
    <li className={css['check']} data-met={isMet || undefined}>
      <Icon size={15} aria-hidden />
      <div>
        <VisuallyHidden>{isMet ? 'Holds: ' : 'Not met: '}</VisuallyHidden>
        {children}
      </div>
    </li>
  )
}
