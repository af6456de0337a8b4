import { useState } from 'react'

type EntryParts<T> = {
  /** The parts of an empty entry. */
  nothing: T
  /** The parts of the entry at this index. */
  partsOf: (index: number) => T
  /** Reports whether something is entered that has not become an entry yet. */
  onOpenChange: (isOpen: boolean) => void
}

/** The parts of an action or a condition being chosen: of a new one, or of the one at the index `edited`. */
export function useEntryParts<T extends Record<string, string>>({ nothing, partsOf, onOpenChange }: EntryParts<T>) {
  const [parts, setParts] = useState(nothing)
  const [edited, setEdited] = useState<number | null>(null)
  const [problems, setProblems] = useState<Partial<T>>({})
  const change = (next: T): void => {
    setParts(next)
    setProblems({})
    onOpenChange(Object.values(next).some((part) => part !== ''))
  }
  /** Starts editing the entry at this index; a new one if null. */
  const edit = (index: number | null): void => {
    setEdited(index)
    change(index === null ? nothing : partsOf(index))
  }
  /** Keeps the input when another entry is deleted. */
  const onDeleted = (index: number): void => {
    if (edited === index) edit(null)
    else if (edited !== null && edited > index) setEdited(edited - 1)
  }
  return { parts, edited, problems, setProblems, change, edit, onDeleted }
}
