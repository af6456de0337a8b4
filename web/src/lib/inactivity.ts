import { useEffect } from 'react'
import { formatCount } from './formats.ts'
import { signOut } from './session.ts'

/** Shared by all tabs: work in one keeps the others signed in, as they share the session. */
const key = 'portico.lastActivity'
const checkEveryMs = 15_000
/** Storage writes at most this often while somebody types. */
const noteEveryMs = 5_000

/** Long work that its user is waiting for counts as activity too. */
export const noteActivity = (): void => localStorage.setItem(key, String(Date.now()))

/** Signs out after `minutes` without a click or a key in any tab of the portal. */
export function useInactivitySignOut(minutes: number): void {
  useEffect(() => {
    let noted = 0
    const note = (): void => {
      if (Date.now() - noted < noteEveryMs) return
      noted = Date.now()
      localStorage.setItem(key, String(noted))
    }
    const check = (): void => {
      const last = Number(localStorage.getItem(key)) || noted
      if (Date.now() - last < minutes * 60_000) return
      void signOut(`You were signed out after ${formatCount(minutes, 'minute')} without activity.`)
    }
    note()
    const events = ['click', 'keydown'] as const
    for (const event of events) window.addEventListener(event, note, { passive: true })
    const timer = window.setInterval(check, checkEveryMs)
    // Timers rest while a laptop sleeps or a tab is in the background.
    document.addEventListener('visibilitychange', check)
    return () => {
      for (const event of events) window.removeEventListener(event, note)
      window.clearInterval(timer)
      document.removeEventListener('visibilitychange', check)
    }
  }, [minutes])
}
