import type { Import } from '@portico/contract/imports'
import { Center, Loader } from '@mantine/core'
import { useState } from 'react'
import { messageOf } from '#lib/api-error.ts'
import { FailureState } from '#ui/failure-state.tsx'
import { type DialogGuard, FormDialog } from '#ui/form-dialog.tsx'
import { useLatestImport } from './imports-queries.ts'
import { NewImportForm } from './new-import-form.tsx'

const untouched: DialogGuard = { isDirty: false, isBusy: false }

type NewImportDialogProps = {
  /** The imports on the page behind the dialog: a new one must not take their names. */
  shown: Import[]
  onClose: () => void
}

/** Brings in a file. It opens with what the most recent import was made with. */
export function NewImportDialog({ shown, onClose }: NewImportDialogProps) {
  const latest = useLatestImport()
  const [guard, setGuard] = useState(untouched)
  // What is asked anew while the dialog is open must not change the ground under the form.
  const [inherited, setInherited] = useState<Import | null | undefined>()
  if (inherited === undefined && latest.isFetchedAfterMount && latest.data !== undefined) setInherited(latest.data)
  return (
    <FormDialog title="New Import" width={840} guard={guard} onClose={onClose}>
      {inherited !== undefined ? (
        <NewImportForm latest={inherited} shown={shown} onGuardChange={setGuard} onClose={onClose} />
      ) : (
        <Center flex={1} mih={300}>
          {latest.isError ? (
            <FailureState message={messageOf(latest.error)} onRetry={() => void latest.refetch()} />
          ) : (
            <Loader size={22} aria-label="Loading the settings of the last import" />
          )}
        </Center>
      )}
    </FormDialog>
  )
}
