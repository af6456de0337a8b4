import { useEffect, useState } from 'react'

/** How long a requested reason stays visible, wherever the mouse moves. */
const reasonMs = 5_000

/** Whether a reason was requested just now, and the function that requests it. */
export function useShownReason(): [boolean, () => void] {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (!isShown) return
    const timer = window.setTimeout(() => setShown(false), reasonMs)
    return () => window.clearTimeout(timer)
  }, [isShown])
  return [isShown, () => setShown(true)]
}
