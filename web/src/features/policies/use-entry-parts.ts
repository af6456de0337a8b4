import { useState } from 'react'

type EntryParts<T> = {
  /** Parts of nothing. */
  nothing: T
  /** Parts of the entry at this index. */
  partsOf: (index: number) => T
  /** Whether something is entered that has not become an entry yet. */
  onOpenChange: (isOpen: boolean) => void
}

/** The parts of an action or a condition while they are chosen: of a new one, or of the one that is `edited`. */
export function useEntryParts<T extends Record<string, string>>({ nothing, partsOf, onOpenChange }: EntryParts<T>) {
  const [parts, setParts] = useState(nothing)
  const [edited, setEdited] = useState<number | null>(null)
  const [problems, setProblems] = useState<Partial<T>>({})
  const change = (next: T): void => {
    setParts(next)
    setProblems({})
    onOpenChange(Object.values(next).some((part) => part !== ''))
  }
  /** Begins to edit the entry at this place; with null a new one. */
  const edit = (index: number | null): void => {
    setEdited(index)
    change(index === null ? nothing : partsOf(index))
  }
  /** Keeps what is being typed when another entry goes. */
  const onDeleted = (index: number): void => {
    if (edited === index) edit(null)
    else if (edited !== null && edited > index) setEdited(edited - 1)
  }
  return { parts, edited, problems, setProblems, change, edit, onDeleted }
}
