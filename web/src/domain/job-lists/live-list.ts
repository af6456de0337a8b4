import { type activityApi, type ChangedList, type ChangeMarks } from '@portico/contract/activity'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { openEvents, type RouteLine } from '#lib/api/api.ts'
import { refreshRights } from '#lib/session/session.ts'

const getChanges: RouteLine<(typeof activityApi)['getChanges']> = {
  method: 'GET',
  path: '/contact-service/v1/changes',
  access: 'account',
}

const retryMs = 10_000
// The portal ends the oldest stream of a person with very many: reopened at once, each would end another.
const mostRetryMs = 120_000
const settledMs = 60_000

/**
 * Reloads a list whenever the portal reports a change in it, while the page is visible. Returns whether that works; if
 * not (a proxy in between, a broken stream), the list must be polled. Also follows changes of the user's rights.
 */
export function useLiveList(list: ChangedList): boolean {
  const client = useQueryClient()
  return useMarks(list, () => void client.invalidateQueries({ queryKey: [list] }))
}

/**
 * Calls `onChange` with the first mark of a list, which may be newer than the data shown, and whenever it changes.
 * Returns whether the list is being followed.
 */
export function useMarks(list: ChangedList, onChange: (isFirst: boolean) => void): boolean {
  const [isLive, setLive] = useState(false)
  const isVisible = useVisible()
  const tell = useEffectEvent(onChange)
  useEffect(() => {
    if (!isVisible) return
    const closing = new AbortController()
    let last: string | undefined
    const onMarks = (marks: ChangeMarks): void => {
      setLive(true)
      if (last !== marks[list]) tell(last === undefined)
      last = marks[list]
    }
    const onBreak = (): void => {
      setLive(false)
      // The portal ends the stream of a user who may no longer follow the list.
      void refreshRights()
    }
    void followUntilClosed(closing.signal, onMarks, onBreak)
    return () => {
      closing.abort()
      setLive(false)
    }
  }, [list, isVisible])
  return isLive
}

async function followUntilClosed(
  signal: AbortSignal,
  onMarks: (marks: ChangeMarks) => void,
  onBreak: () => void,
): Promise<void> {
  let pauseMs = retryMs
  while (!signal.aborted) {
    const begin = performance.now()
    try {
      const response = await openEvents(getChanges, signal)
      if (response) await readEvents(response, onMarks)
    } catch {
      // If access was refused, the next request reports it; a dropped stream reconnects.
    }
    if (signal.aborted) return
    onBreak()
    if (performance.now() - begin > settledMs) pauseMs = retryMs
    await pause(signal, pauseMs)
    pauseMs = Math.min(2 * pauseMs, mostRetryMs)
  }
}

/** Passes on the data of each event until the stream ends. */
async function readEvents(stream: ReadableStream<Uint8Array>, onMarks: (marks: ChangeMarks) => void): Promise<void> {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (rest + decoder.decode(value, { stream: true })).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      if (/^event: rights$/m.test(event)) {
        void refreshRights()
        continue
      }
      const data = /^data: (.*)$/m.exec(event)?.[1]
      // As the contract defines this route.
      if (data !== undefined) onMarks(JSON.parse(data) as ChangeMarks)
    }
  }
}

function pause(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      window.clearTimeout(timer)
      resolve()
    })
  })
}

/** A hidden tab follows nothing. */
function useVisible(): boolean {
  const [isVisible, setVisible] = useState(() => document.visibilityState !== 'hidden')
  useEffect(() => {
    const look = (): void => setVisible(document.visibilityState !== 'hidden')
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])
  return isVisible
}
