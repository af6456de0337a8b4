import { useEffect } from 'react'
import { onRefusal } from '#lib/api/api.ts'
import { refreshRights } from './session.ts'

const everyMs = 5 * 60_000
/** Switching between windows refreshes once. */
const afterFocusMs = 10_000
/** A screen's refusals come in bursts. */
const afterRefusalMs = 2_000

/**
 * Keeps the user's rights up to date: menus and screens follow a change of policies without a reload. Refreshes when
 * the tab regains the focus, every five minutes, and after the server refused a request.
 */
export function useRightsRefresh(): void {
  useEffect(() => {
    let askedAt = Date.now()
    const ask = (notSoonerThanMs: number): void => {
      if (document.hidden || Date.now() - askedAt < notSoonerThanMs) return
      askedAt = Date.now()
      void refreshRights()
    }
    const onFocus = (): void => ask(afterFocusMs)
    window.addEventListener('focus', onFocus)
    document.addEventListener('visibilitychange', onFocus)
    const timer = window.setInterval(ask, everyMs, 0)
    const stop = onRefusal(() => ask(afterRefusalMs))
    return () => {
      window.removeEventListener('focus', onFocus)
      document.removeEventListener('visibilitychange', onFocus)
      window.clearInterval(timer)
      stop()
    }
  }, [])
}
