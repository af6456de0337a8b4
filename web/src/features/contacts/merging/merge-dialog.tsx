import type { Field, Offer } from '@portico/contract/contacts'
import { Loader } from '@mantine/core'
import { useState } from 'react'
import { messageOf } from '#lib/api/api-error.ts'
import { FormDialog } from '#ui/dialog/form-dialog.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { CompareContacts } from './compare-contacts.tsx'
import { FindContact } from './find-contact.tsx'
import { useComparedContacts } from './merge-queries.ts'

type MergeDialogProps = {
  contact: Offer
  /** The other contact, if it was chosen before; otherwise it is found here. */
  other?: string
  fields: readonly Field[]
  onMerged?: () => void
  onClose: () => void
}

/** Finds another contact, compares it with one, and merges it into that one. */
export function MergeDialog({ contact, other: chosen, fields, onMerged, onClose }: MergeDialogProps) {
  const [other, setOther] = useState<string | null>(chosen ?? null)
  // Of two chosen contacts, either may stay.
  const [isSwapped, setSwapped] = useState(false)
  const [guard, setGuard] = useState({ isDirty: false, isBusy: false })
  return (
    <FormDialog title="Merge Contacts" width={720} guard={guard} onClose={onClose}>
      {other === null ? (
        <FindContact contact={contact} fields={fields} onChosen={setOther} onClose={onClose} />
      ) : (
        <Compared
          key={String(isSwapped)}
          kept={isSwapped ? other : contact._id}
          other={isSwapped ? contact._id : other}
          fields={fields}
          onGuard={setGuard}
          back={chosen === undefined ? 'Back' : 'Swap'}
          onBack={() => {
            setGuard({ isDirty: false, isBusy: false })
            if (chosen === undefined) setOther(null)
            else setSwapped(!isSwapped)
          }}
          onMerged={onMerged}
          onClose={onClose}
        />
      )}
    </FormDialog>
  )
}

type ComparedProps = {
  kept: string
  other: string
  fields: readonly Field[]
  onGuard: (guard: { isDirty: boolean; isBusy: boolean }) => void
  back: 'Back' | 'Swap'
  onBack: () => void
  onMerged?: (() => void) | undefined
  onClose: () => void
}

function Compared({ kept, other, ...props }: ComparedProps) {
  const pair = useComparedContacts(kept, other)
  if (pair.isError) return <FailureState message={messageOf(pair.error)} onRetry={() => void pair.refetch()} />
  if (!pair.data || pair.isFetching) return <Loader size={18} aria-label="Loading the contacts" />
  return <CompareContacts {...pair.data} {...props} onReload={() => void pair.refetch()} />
}
