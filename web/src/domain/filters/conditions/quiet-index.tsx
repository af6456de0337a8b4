import { useEffect } from 'react'
import { useQueryClient } from '@tanstack/react-query'
import { isApiError } from '#lib/api/api-error.ts'
import { useCan } from '#lib/session/session.ts'
import { useCreateIndex, useFieldIndex } from '../filter-queries.ts'
import { IndexOffer } from './index-offer.tsx'

type QuietIndexProps = {
  field: string
  /** Whether the user searches by the field: one that was only chosen may be the wrong one. */
  isUsed: boolean
}

/**
 * The index of a field that a running filter uses. Built without asking if that takes seconds, offered otherwise.
 * Renders nothing for users who cannot create indexes.
 */
export function QuietIndex(props: QuietIndexProps) {
  return useCan('contact-indexes-create') && <FieldIndex {...props} />
}

function FieldIndex({ field, isUsed }: QuietIndexProps) {
  const index = useFieldIndex(field).data
  const { mutate, isIdle, error } = useCreateIndex()
  const isWanted = isUsed && index?.state === null && index.isQuick
  useEffect(() => {
    if (isWanted && isIdle) mutate(field)
  }, [isWanted, isIdle, mutate, field])
  useReload(index?.state === 'ready')
  if (!index || index.state === 'ready' || index.state === 'deleting') return null
  // Another request may have created it first.
  const hasFailed = index.state === 'failed' || (error !== null && !isApiError(error, 'name_taken', 'invalid_input'))
  if ((index.isQuick && !hasFailed) || (!isUsed && index.state === null)) return null
  return <IndexOffer field={field} isRequired={false} isBuilding={index.state === 'building'} />
}

/** Reloads the fields once the index is ready, and the searches that timed out without it. */
function useReload(isReady: boolean): void {
  const client = useQueryClient()
  useEffect(() => {
    if (!isReady) return
    void client.invalidateQueries({ queryKey: ['fields'] })
    void client.invalidateQueries({
      queryKey: ['contacts'],
      predicate: ({ state }) => isApiError(state.error, 'timed_out'),
    })
  }, [isReady, client])
}
