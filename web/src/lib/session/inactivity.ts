import { useCallback, useEffect, useRef, useState } from 'react'
import { formatCount } from '#lib/formats.ts'
import { lastActivityAt, lastActivityKey, noteActivity } from './last-activity.ts'
import { refreshRights, signOut } from './session.ts'
import { currentSession } from './session-store.ts'

const checkEveryMs = 15_000
/** Activity is stored at most this often while the user types. */
const noteEveryMs = 5_000
/** The warning appears this long before the end. */
const warnBeforeMs = 2 * 60_000

export type Inactivity = {
  /** Milliseconds until the session ends unless the user chooses to stay; null while that is far away. */
  endsAt: number | null
  stay: () => void
}

/**
 * Signs out after `minutes` without a click or a key in any tab of the portal, with a warning two minutes before. After
 * the warning only `stay`, or activity in another tab, restarts the time: moving to the dialog's buttons does not.
 */
export function useInactivity(minutes: number): Inactivity {
  const [endsAt, setEndsAt] = useState<number | null>(null)
  const isWarned = useRef(false)
  const check = useRef<() => void>(() => undefined)

  useEffect(() => {
    let noted = 0
    const note = (): void => {
      if (isWarned.current || Date.now() - noted < noteEveryMs) return
      noted = Date.now()
      noteActivity()
    }
    const warn = (end: number | null): void => {
      isWarned.current = end !== null
      setEndsAt(end)
    }
    let timer: number | undefined
    check.current = () => {
      window.clearTimeout(timer)
      const end = (lastActivityAt() ?? noted) + minutes * 60_000
      const leftMs = end - Date.now()
      timer = window.setTimeout(() => check.current(), waitMs(leftMs))
      if (currentSession().state !== 'in' || leftMs > warnBeforeMs) return warn(null)
      if (leftMs > 0) return warn(end)
      warn(null)
      void signOut(`You were signed out after ${formatCount(minutes, 'minute')} without activity.`)
    }
    const onStorage = (event: StorageEvent): void => {
      if (event.key === lastActivityKey) check.current()
    }
    const onWake = (): void => check.current()
    note()
    check.current()
    const events = ['click', 'keydown'] as const
    for (const event of events) window.addEventListener(event, note, { passive: true })
    window.addEventListener('storage', onStorage)
    // Timers pause while a laptop sleeps or a tab is in the background.
    document.addEventListener('visibilitychange', onWake)
    window.addEventListener('focus', onWake)
    return () => {
      for (const event of events) window.removeEventListener(event, note)
      window.removeEventListener('storage', onStorage)
      document.removeEventListener('visibilitychange', onWake)
      window.removeEventListener('focus', onWake)
      window.clearTimeout(timer)
    }
  }, [minutes])

  const stay = useCallback(() => {
    noteActivity()
    check.current()
    // The server counts its calls, not our clicks.
    void refreshRights()
  }, [])
  return { endsAt, stay }
}

/** Until the announcement or the end, but not so long that a clock that was set would be missed. */
function waitMs(leftMs: number): number {
  if (leftMs <= 0) return checkEveryMs
  const next = leftMs > warnBeforeMs ? leftMs - warnBeforeMs : leftMs
  return Math.min(next + 20, checkEveryMs)
}
