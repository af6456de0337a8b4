import { useEffect, useState } from 'react'

/** So long an asked-for reason stays, wherever the mouse goes. */
const reasonMs = 5_000

/** Whether a reason was asked for just now, and the function that asks. */
export function useShownReason(): [boolean, () => void] {
  const [isTold, setTold] = useState(false)
  useEffect(() => {
    if (!isTold) return
    const timer = window.setTimeout(() => setTold(false), reasonMs)
    return () => window.clearTimeout(timer)
  }, [isTold])
  return [isTold, () => setTold(true)]
}
