import { useEffect, useState } from 'react'

const two = (part: number): string => String(part).padStart(2, '0')

/** 00:01:05 for hours, minutes and seconds. */
export function elapsedText(seconds: number): string {
  return [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(two).join(':')
}

/** The time since it was mounted, in hours, minutes and seconds. */
export function Elapsed() {
  const [since] = useState(() => Date.now())
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000)
    return () => window.clearInterval(timer)
  }, [])
  return (
    <span role="timer" aria-label="Elapsed time" style={{ fontVariantNumeric: 'tabular-nums' }}>
      {elapsedText(Math.floor((now - since) / 1000))}
    </span>
  )
}
