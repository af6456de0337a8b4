import type { Field } from '@portico/contract/contacts'
import type { Segment } from '@portico/contract/segments'
import { Anchor, Loader, Stack, Text } from '@mantine/core'
import { type FormEvent, useEffect, useEffectEvent } from 'react'
import { Link, useSearchParams } from 'react-router'
import IconCheck from '#icons/IconCheck'
import IconX from '#icons/IconX'
import { FindFields, FoundContacts, useContactSearch } from '#domain/contact-search'
import { contactLabel, useFields } from '#domain/fields'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { paths } from '#lib/paths.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { Panel } from '#ui/page/panel.tsx'
import { MembershipTree } from './membership-tree.tsx'
import { useMembership } from './segments-queries.ts'
import css from './membership.module.css'

/** Explains why a contact, which is part of the address, is in a segment or not. */
export function SegmentWhy({ segment }: { segment: Segment }) {
  const fields = useFields()
  const [contact, choose] = useContactUrl()
  return (
    <Panel title="Why Is Someone In or Out?">
      {fields.error ? (
        <FailureState message={messageOf(fields.error)} onRetry={() => void fields.refetch()} />
      ) : fields.data ? (
        <Stack gap="md">
          <ContactChoice fields={fields.data} onChosen={choose} />
          {contact !== null && <Explanation segment={segment} contact={contact} fields={fields.data} />}
        </Stack>
      ) : (
        <Loader size={18} aria-label="Loading the fields" />
      )}
    </Panel>
  )
}

function useContactUrl(): [contact: string | null, choose: (contact: string) => void] {
  const [params, setParams] = useSearchParams()
  const choose = (contact: string): void =>
    setParams(
      (now) => new URLSearchParams([...now].filter(([name]) => name !== 'contact').concat([['contact', contact]])),
    )
  return [params.get('contact'), choose]
}

function ContactChoice({ fields, onChosen }: { fields: readonly Field[]; onChosen: (id: string) => void }) {
  const search = useContactSearch(fields)
  const [only, ...more] = search.found.data ?? []
  const found = more.length === 0 ? only?._id : undefined
  const onFound = useEffectEvent(onChosen)
  useEffect(() => {
    if (found !== undefined) onFound(found)
  }, [found])
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault()
    search.submit()
  }
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="sm">
        <Text size="sm">Find a contact to see which conditions it meets, and the values that it has.</Text>
        <FindFields search={search} />
        {found === undefined && (
          <FoundContacts
            search={search}
            action={{ text: 'Explain', name: 'Explain' }}
            none="No contact has this value."
            onChosen={onChosen}
          />
        )}
      </Stack>
    </form>
  )
}

type ExplanationProps = { segment: Segment; contact: string; fields: readonly Field[] }

function Explanation({ segment, contact, fields }: ExplanationProps) {
  const { data, error, refetch } = useMembership(segment, contact)
  if (isApiError(error, 'not_found')) return <Text size="sm">This contact is not available.</Text>
  if (error) return <FailureState message={messageOf(error)} onRetry={() => void refetch()} />
  if (!data) return <Loader size={18} aria-label="Explaining" />
  const { offer, membership } = data
  const { isIn, conditions, more } = membership
  return (
    <Stack gap="sm">
      <output className={css['answer']} data-in={isIn}>
        {isIn ? <IconCheck size={18} aria-hidden /> : <IconX size={18} aria-hidden />}
        <span>
          <Anchor component={Link} inherit to={paths.contact(contact)}>
            {contactLabel(offer, fields)}
          </Anchor>
          {isIn ? ' is in this segment.' : ' is not in this segment.'}
        </span>
      </output>
      {conditions.length === 0 ? (
        <Text size="sm">The segment has no conditions: all contacts are in it.</Text>
      ) : (
        <>
          <Text size="sm" fw={600}>
            {conditions.length === 1 ? 'The condition' : 'All of these must be met'}
          </Text>
          <MembershipTree nodes={conditions} more={more} fields={fields} contact={contact} label="Conditions" />
        </>
      )}
    </Stack>
  )
}
