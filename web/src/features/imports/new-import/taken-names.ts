import type { Import } from '@portico/contract/imports'
import { foldName } from '@portico/domain/names'
import { useCallback, useMemo, useState } from 'react'

/** Folded names that a new import must not have: those of imports on the page, and those that the server refused. */
export function useTakenNames(shown: Import[]): { taken: ReadonlySet<string>; refuse: (name: string) => void } {
  // These belong to imports on other pages of the list.
  const [refused, setRefused] = useState<string[]>([])
  const taken = useMemo(() => new Set([...shown.map(({ name }) => name), ...refused].map(foldName)), [shown, refused])
  const refuse = useCallback((name: string) => setRefused((names) => [...names, name]), [])
  return { taken, refuse }
}
