import type { Field } from '@portico/contract/contacts'
import type { Pipeline } from '@portico/domain/pipeline/pipeline'
import { Button } from '@mantine/core'
import { useState } from 'react'
import IconBookmark from '#icons/IconBookmark'
import IconFileExport from '#icons/IconFileExport'
import IconPlus from '#icons/IconPlus'
import IconShare from '#icons/IconShare'
import IconTrash from '#icons/IconTrash'
import { useCan } from '#lib/session/session.ts'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import { ReservedPlace } from '#ui/page/reserved-place.tsx'
import { ExportResultsDialog, SaveSearchDialog } from '#domain/results'
import { AddContactDialog, DeleteResultsDialog } from './on-demand.ts'

type SearchActionsProps = {
  /** The stages of the search. */
  stages: Pipeline
  sentence: string
  /** The found contacts; null if the results are not the contacts of a filter. */
  which: Pipeline | null
  /** The contacts or groups to export, in the order shown, groups with their columns; null for other results. */
  exported: { stages: Pipeline; columns: string[] | null } | null
  /** Undefined until known, which reserves the space of the buttons that need results. */
  count: number | undefined
  fields: readonly Field[]
  shown: string[]
}

type Open = 'add' | 'save' | 'export' | 'delete' | null

/** The actions on a search and its results that the user may take. */
export function SearchActions({ stages, sentence, which, exported, count, fields, shown }: SearchActionsProps) {
  const [open, setOpen] = useState<Open>(null)
  const canAdd = useCan('contact-offers-create')
  const canSave = useCan('contact-rdls-create')
  const canExport = useCan('contact-export-create')
  const canDelete = useCan('contact-offers-delete')
  const close = (): void => setOpen(null)
  const results = { sentence, count: count ?? 0, onClose: close }
  const isCounting = count === undefined
  const isSearch = stages.length > 0
  return (
    <>
      {canAdd && (isCounting || fields.length > 0) && (
        <Button variant="default" leftSection={<IconPlus size={15} aria-hidden />} onClick={() => setOpen('add')}>
          Add Contact
        </Button>
      )}
      {isSearch && (
        <Button variant="default" leftSection={<IconShare size={15} aria-hidden />} onClick={() => void share()}>
          Share
        </Button>
      )}
      {isSearch && canSave && (
        <Button variant="default" leftSection={<IconBookmark size={15} aria-hidden />} onClick={() => setOpen('save')}>
          Save
        </Button>
      )}
      <ReservedPlace isReserved={isCounting}>
        {canExport && (isCounting || (exported && count > 0)) && (
          <Button
            variant="default"
            leftSection={<IconFileExport size={15} aria-hidden />}
            onClick={() => setOpen('export')}
          >
            Export Results
          </Button>
        )}
        {canDelete && (isCounting || count > 0) && (
          <ReasonedButton
            label="Delete Results"
            Icon={IconTrash}
            {...(which ? { color: 'var(--mantine-color-error)' } : { reason: undeletable(exported !== null) })}
            onClick={() => setOpen('delete')}
          />
        )}
      </ReservedPlace>
      {open === 'add' && <AddContactDialog fields={fields} onClose={close} />}
      {open === 'save' && <SaveSearchDialog stages={stages} sentence={sentence} onClose={close} />}
      {open === 'export' && exported && (
        <ExportResultsDialog {...results} {...exported} fields={fields} shown={shown} />
      )}
      {open === 'delete' && which && <DeleteResultsDialog {...results} stages={which} />}
    </>
  )
}

/** A delete requires a filter and the confirmed number of contacts that it finds. */
const undeletable = (isGrouped: boolean): string =>
  isGrouped
    ? 'Groups cannot be deleted. Open a group to delete its contacts.'
    : 'Only contacts found by a filter can be deleted, not computed results.'

/** The address contains the complete search. */
async function share(): Promise<void> {
  try {
    await navigator.clipboard.writeText(window.location.href)
    notifyDone('The link to this search was copied.')
  } catch {
    // The clipboard requires HTTPS and the user's permission.
    notifyError('The link could not be copied. Copy the address of this page instead.')
  }
}
