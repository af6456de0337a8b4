import type { Offer } from '@portico/contract/contacts'
import { useCallback, useMemo, useRef, useState } from 'react'
import { useCan } from '#lib/session/session.ts'

type Cell = { id: string; name: string }

/** The cell that is edited, and the one that the Tab key leads to. */
export type CellEditing = {
  isOpen: (offer: Offer, name: string) => boolean
  isStop: (offer: Offer, name: string) => boolean
  /** Another editor with typed input stays open instead. */
  open: (offer: Offer, name: string) => void
  close: () => void
  /** Closes the editor after a click outside, unless this would lose input. */
  leave: () => void
  onTyped: (isTyped: boolean) => void
  onFocus: (offer: Offer, name: string) => void
}

const isSame = (cell: Cell | null, offer: Offer, name: string): boolean => cell?.id === offer._id && cell.name === name

/**
 * Editing of the cells of a table of contacts; null for rows that are no contacts, and for users who may not change
 * contacts. `names`: the columns that can be edited.
 */
export function useCellEditing(
  areContacts: boolean,
  rows: readonly Offer[] | undefined,
  names: readonly string[],
): CellEditing | null {
  const canUpdate = useCan('contact-offers-update')
  const [edited, setEdited] = useState<Cell | null>(null)
  const [focused, setFocused] = useState<Cell | null>(null)
  const isTyped = useRef(false)
  const onTyped = useCallback((typed: boolean) => {
    isTyped.current = typed
  }, [])
  const first = rows?.[0]?._id
  const [firstName] = names
  const isThere = rows?.some(({ _id }) => _id === focused?.id) === true && names.includes(focused?.name ?? '')
  const stopId = isThere ? focused?.id : first
  const stopName = isThere ? focused?.name : firstName
  return useMemo(() => {
    if (!areContacts || !canUpdate) return null
    const close = (): void => {
      isTyped.current = false
      setEdited(null)
    }
    return {
      isOpen: (offer, name) => isSame(edited, offer, name),
      isStop: ({ _id: id }, name) => id === stopId && name === stopName,
      open: ({ _id: id }, name) => (edited === null || !isTyped.current) && setEdited({ id, name }),
      close,
      leave: () => !isTyped.current && close(),
      onTyped,
      onFocus: ({ _id: id }, name) => setFocused({ id, name }),
    }
  }, [areContacts, canUpdate, edited, stopId, stopName, onTyped])
}
