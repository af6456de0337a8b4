import { useEffect, useState } from 'react'

/** How long a reason that was asked for stays, wherever the mouse goes. */
const reasonMs = 5_000

/** Whether a reason was asked for just now, and the function that asks. */
export function useShownReason(): [boolean, () => void] {
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    if (!isShown) return
    const timer = window.setTimeout(() => setShown(false), reasonMs)
    return () => window.clearTimeout(timer)
  }, [isShown])
  return [isShown, () => setShown(true)]
}
