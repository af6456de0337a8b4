import { undoDays } from '@portico/contract/undo-limits'
import type { MergeChoice } from '@portico/contract/contact-edits'
import type { Field, Offer } from '@portico/contract/contacts'
import { Alert, Button, Group, Radio, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { formatValue } from '#domain/charts'
import { contactLabel } from '#domain/fields'
import { isApiError, messageOf } from '#lib/api/api-error.ts'
import { formatCount } from '#lib/formats.ts'
import { DialogForm } from '#ui/dialog/form-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { DefinitionList } from '#ui/page/definition-list.tsx'
import { eventsOf } from '../contact-fields.ts'
import { type BothValues, type Choices, compareContacts, mergeOf, winnerOf } from './merge-fields.ts'
import { useMergeContacts, useUndoMerge } from './merge-queries.ts'
import css from './merging.module.css'

type CompareContactsProps = {
  kept: Offer
  other: Offer
  fields: readonly Field[]
  onGuard: (guard: { isDirty: boolean; isBusy: boolean }) => void
  onReload: () => void
  /** Label of the button that finds another contact, or keeps the other one. */
  back: 'Back' | 'Swap'
  onBack: () => void
  onMerged?: (() => void) | undefined
  onClose: () => void
}

/** Shows both contacts field by field, with the choice of what wins, and merges them. */
export function CompareContacts(props: CompareContactsProps) {
  const { kept, other, fields, onGuard, onReload, back, onBack, onMerged, onClose } = props
  const [choices, setChoices] = useState<Choices>({})
  const merge = useMergeContacts(kept._id)
  const undoMerge = useUndoMerge()
  const { differing, equal } = compareContacts(kept, other, fields)

  function choose(field: string, choice: MergeChoice): void {
    setChoices({ ...choices, [field]: choice })
    onGuard({ isDirty: true, isBusy: false })
  }

  function submit(): void {
    if (merge.isPending) return
    onGuard({ isDirty: true, isBusy: true })
    merge.mutate(mergeOf(other._id, differing, choices), {
      onSuccess: ({ movedEvents, delete: id }) => {
        const moved = movedEvents === 0 ? '' : `, with ${formatCount(movedEvents, 'event')}`
        const text = `The contacts were merged${moved}. This can be undone for ${undoDays} days, under Deletes.`
        notifyDone(text, 8000, { label: 'Undo', onClick: () => void undoMerge(id) })
        onMerged?.()
        onClose()
      },
      onError: () => onGuard({ isDirty: true, isBusy: false }),
    })
  }

  return (
    <DialogForm
      onSubmit={submit}
      footer={
        <Group justify="space-between" gap="xs">
          <Button variant="default" onClick={onBack} disabled={merge.isPending}>
            {back}
          </Button>
          <Group gap="xs">
            <Button variant="default" onClick={onClose} disabled={merge.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={merge.isPending}>
              Merge
            </Button>
          </Group>
        </Group>
      }
    >
      <Stack gap="md">
        {merge.error && <Problem error={merge.error} onReload={onReload} />}
        <div className={css['pair']}>
          <Side title="Stays" contact={kept} fields={fields} />
          <Side title="Is merged into it and deleted" contact={other} fields={fields} />
        </div>
        {differing.length === 0 ? (
          <Text size="sm">The two contacts have the same values.</Text>
        ) : (
          <>
            <Text
              size="sm"
              c="dimmed"
            >{`${formatCount(differing.length, 'field')} differ. Choose what the contact has.`}</Text>
            {differing.map((each) => (
              <FieldChoice
                key={each.field.name}
                both={each}
                choice={winnerOf(each, choices)}
                onChange={(choice) => choose(each.field.name, choice)}
              />
            ))}
          </>
        )}
        {equal.length > 0 && (
          <details className={css['equal']}>
            <summary>{formatCount(equal.length, 'equal field')}</summary>
            <DefinitionList
              columns={2}
              items={equal.map(({ field, kept: value }) => ({ term: field.name, value: inWords(field, value) }))}
            />
          </details>
        )}
        <Consequences kept={kept} other={other} />
      </Stack>
    </DialogForm>
  )
}

const inWords = ({ type, format }: Field, value: BothValues['kept']): string =>
  formatValue(value, type, format) || 'no value'

function Problem({ error, onReload }: { error: Error; onReload: () => void }) {
  return (
    <Alert color="red" role="alert">
      {messageOf(error)}
      {isApiError(error, 'value_changed') && (
        <Button variant="default" size="compact-sm" mt="xs" display="block" onClick={onReload}>
          Show current values
        </Button>
      )}
    </Alert>
  )
}

function Side({ title, contact, fields }: { title: string; contact: Offer; fields: readonly Field[] }) {
  return (
    <div className={css['side']}>
      <Text size="xs" c="dimmed">
        {title}
      </Text>
      <b>{contactLabel(contact, fields)}</b>
      <Text size="xs" c="dimmed">{`Contact ${contact._id}`}</Text>
    </div>
  )
}

type FieldChoiceProps = { both: BothValues; choice: MergeChoice; onChange: (choice: MergeChoice) => void }

function FieldChoice({ both: { field, kept, other }, choice, onChange }: FieldChoiceProps) {
  const labelOf = (side: string, value: BothValues['kept']) => (
    <>
      <VisuallyHidden>{`${side}: `}</VisuallyHidden>
      <span className={css['value']}>{inWords(field, value)}</span>
    </>
  )
  return (
    // The values are those of the two radios.
    <Radio.Group label={field.name} value={choice} onChange={(value) => onChange(value as MergeChoice)}>
      <div className={css['pair']}>
        <Radio className={css['choice'] ?? ''} value="kept" label={labelOf('This contact', kept)} />
        <Radio className={css['choice'] ?? ''} value="other" label={labelOf('The other contact', other)} />
      </div>
    </Radio.Group>
  )
}

/** More events are not sent with a contact. */
const mostSent = 10_000

function Consequences({ kept, other }: { kept: Offer; other: Offer }) {
  const events = eventsOf(other)?.length ?? 0
  const count = `${events >= mostSent ? 'At least ' : ''}${formatCount(events, 'event')}`
  return (
    <Stack gap={4}>
      <Text size="sm">
        {`${count} of contact ${other._id} ${events === 1 ? 'moves' : 'move'} to contact ${kept._id}. ${purlRule(kept, other)}`}
      </Text>
      <Text size="sm" c="dimmed">
        {`Later imports find the contact by the dedup columns of both. This can be undone for ${undoDays} days, under Deletes.`}
      </Text>
    </Stack>
  )
}

function purlRule({ purl: kept }: Offer, { purl: other }: Offer): string {
  if (typeof other !== 'string') return typeof kept === 'string' ? `The PURL stays ${kept}.` : 'Neither has a PURL.'
  const leads = `${other} leads to it from now on, and is given to no one else.`
  return typeof kept === 'string' ? `The PURL stays ${kept}; ${leads}` : `The contact has no PURL of its own; ${leads}`
}
