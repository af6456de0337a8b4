import { useEffect, useState } from 'react'
import { useBlocker } from 'react-router'
import { useTypedInput } from './typed-input.ts'

/** Asked before a form with changes is left (specification 2 §5). */
export const unsavedQuestion = 'Do you really want to leave? you have unsaved changes!'

/** Guards of pages with unsaved changes. */
const asking = new Set<() => Promise<boolean>>()

/** Whether the page may be left other than by navigation, such as by entering another account; asks if necessary. */
export async function mayLeave(): Promise<boolean> {
  for (const ask of asking) if (!(await ask())) return false
  return true
}

/** A blocked navigation, and the two replies to it. For `LeaveDialog`. */
export type Leaving = { isAsked: boolean; leave: () => void; stay: () => void }

/**
 * Blocks leaving the page while that would lose something: with the browser's own question when leaving the portal, and
 * with `isAsked` inside it.
 */
export function useLeaving(isLossy: boolean): Leaving {
  useTypedInput(isLossy)
  const blocker = useBlocker(({ currentLocation, nextLocation }) => {
    // A page keeps its table's state in the address: changing it does not leave the page.
    return isLossy && currentLocation.pathname !== nextLocation.pathname
  })
  useEffect(() => {
    if (!isLossy) return
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isLossy])
  const [answer, setAnswer] = useState<((leaves: boolean) => void) | null>(null)
  useEffect(() => {
    if (!isLossy) return
    const ask = (): Promise<boolean> => new Promise((resolve) => setAnswer(() => resolve))
    asking.add(ask)
    return () => void asking.delete(ask)
  }, [isLossy])
  const give = (leaves: boolean): void => {
    answer?.(leaves)
    setAnswer(null)
  }
  // The changes may have been saved or discarded while the question was open.
  useEffect(() => {
    if (isLossy) return
    if (blocker.state === 'blocked') blocker.reset()
    if (!answer) return
    answer(true)
    queueMicrotask(() => setAnswer(null))
  }, [isLossy, blocker, answer])
  return {
    isAsked: blocker.state === 'blocked' || answer !== null,
    leave: () => {
      give(true)
      if (blocker.state === 'blocked') blocker.proceed()
    },
    stay: () => {
      give(false)
      if (blocker.state === 'blocked') blocker.reset()
    },
  }
}
