import type { Field, Offer } from '@portico/contract/contacts'
import { Loader } from '@mantine/core'
import { useState } from 'react'
import { messageOf } from '#lib/api/api-error.ts'
import { FormDialog } from '#ui/dialog/form-dialog.tsx'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { CompareContacts } from './compare-contacts.tsx'
import { FindContact } from './find-contact.tsx'
import { useComparedContacts } from './merge-queries.ts'

type MergeDialogProps = { contact: Offer; fields: readonly Field[]; onClose: () => void }

/** Finds another contact, compares it with one, and merges it into that one. */
export function MergeDialog({ contact, fields, onClose }: MergeDialogProps) {
  const [other, setOther] = useState<string | null>(null)
  const [guard, setGuard] = useState({ isDirty: false, isBusy: false })
  return (
    <FormDialog title="Merge Contacts" width={720} guard={guard} onClose={onClose}>
      {other === null ? (
        <FindContact contact={contact} fields={fields} onChosen={setOther} onClose={onClose} />
      ) : (
        <Compared
          kept={contact._id}
          other={other}
          fields={fields}
          onGuard={setGuard}
          onBack={() => {
            setGuard({ isDirty: false, isBusy: false })
            setOther(null)
          }}
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
  onBack: () => void
  onClose: () => void
}

function Compared({ kept, other, ...props }: ComparedProps) {
  const pair = useComparedContacts(kept, other)
  if (pair.isError) return <FailureState message={messageOf(pair.error)} onRetry={() => void pair.refetch()} />
  if (!pair.data || pair.isFetching) return <Loader size={18} aria-label="Loading the contacts" />
  return <CompareContacts {...pair.data} {...props} onReload={() => void pair.refetch()} />
}
