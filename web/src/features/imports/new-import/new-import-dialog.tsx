import type { Import, ImportKind } from '@portico/contract/imports'
import { Center, Loader, SegmentedControl, Stack } from '@mantine/core'
import { useState } from 'react'
import { messageOf } from '#lib/api/api-error.ts'
import { FailureState } from '#ui/feedback/failure-state.tsx'
import { ConfirmDialog } from '#ui/dialog/confirm-dialog.tsx'
import { type DialogGuard, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { EventImportForm } from '../events/event-import-form.tsx'
import { type StartingPoint, useStartingPoint } from '../imports-queries.ts'
import type { ChosenImport } from './import-file.ts'
import { NewImportForm } from './new-import-form.tsx'
import { Shown } from '../review/shown.tsx'
import { type Steps, useSteps } from '../steps/use-steps.ts'

const untouched: DialogGuard = { isDirty: false, isBusy: false }

type NewImportDialogProps = {
  /** The imports on the page behind the dialog, whose names a new one must not take. */
  shown: Import[]
  onClose: () => void
}

/** Imports a file of contacts or events, step by step. Switching between the two keeps the input of both. */
export function NewImportDialog({ shown, onClose }: NewImportDialogProps) {
  const [kind, setKind] = useState<ImportKind>('contacts')
  const [isEventFormOpen, setEventFormOpen] = useState(false)
  const [moved, setMoved] = useState<ChosenImport | null>(null)
  const stepsOf = { contacts: useSteps(), events: useSteps() }
  const [isAsked, setAsked] = useState(false)
  const [contactGuard, setContactGuard] = useState(untouched)
  const [eventGuard, setEventGuard] = useState(untouched)
  const guard = {
    isDirty: contactGuard.isDirty || eventGuard.isDirty,
    isBusy: contactGuard.isBusy || eventGuard.isBusy,
  }
  function choose(chosen: ImportKind): void {
    setKind(chosen)
    if (chosen === 'events') setEventFormOpen(true)
  }
  return (
    <>
      <FormDialog
        title="New Import"
        width={840}
        guard={guard}
        isPersistent
        onDismiss={() => setAsked(true)}
        onClose={onClose}
      >
        <Stack gap={0} flex={1} miw={0} mih={0}>
          {stepsOf[kind].step === 'file' && (
            <SegmentedControl
              aria-label="What the file holds"
              data={[
                { value: 'contacts', label: 'Contacts' },
                { value: 'events', label: 'Events' },
              ]}
              value={kind}
              // The control offers only the kinds.
              onChange={(value) => choose(value as ImportKind)}
              disabled={guard.isBusy}
              mx="md"
              mb="sm"
              style={{ alignSelf: 'flex-start', flex: 'none' }}
            />
          )}
          <Shown when={kind === 'contacts'}>
            <ContactImport
              steps={stepsOf.contacts}
              shown={shown}
              onGuardChange={setContactGuard}
              onEvents={(chosen) => {
                setMoved(chosen)
                choose('events')
              }}
              onClose={onClose}
            />
          </Shown>
          {isEventFormOpen && (
            <Shown when={kind === 'events'}>
              <EventImportForm
                moved={moved}
                steps={stepsOf.events}
                shown={shown}
                onGuardChange={setEventGuard}
                onClose={onClose}
              />
            </Shown>
          )}
        </Stack>
      </FormDialog>
      <ConfirmDialog
        isOpen={isAsked}
        title="Discard this import?"
        question="The file and the settings that you have chosen will be lost."
        confirmLabel="Discard"
        cancelLabel="Keep editing"
        onConfirm={onClose}
        onClose={() => setAsked(false)}
      />
    </>
  )
}

type ContactImportProps = NewImportDialogProps & {
  steps: Steps
  onGuardChange: (guard: DialogGuard) => void
  onEvents: (chosen: ChosenImport) => void
}

/** The form opens with the settings of the most recent import, or with the account's defaults. */
function ContactImport({ steps, shown, onGuardChange, onEvents, onClose }: ContactImportProps) {
  const start = useStartingPoint()
  // A refetch while the dialog is open must not change the form's initial values.
  const [inherited, setInherited] = useState<StartingPoint>()
  if (inherited === undefined && start.isFetchedAfterMount && start.data) setInherited(start.data)
  if (inherited !== undefined) {
    return <NewImportForm start={inherited} {...{ steps, shown, onGuardChange, onEvents, onClose }} />
  }
  return (
    <Center flex={1} mih={300}>
      {start.isError ? (
        <FailureState message={messageOf(start.error)} onRetry={() => void start.refetch()} />
      ) : (
        <Loader size={22} aria-label="Loading the settings of the last import" />
      )}
    </Center>
  )
}
