import { callerKey } from '@portico/contract/email-address'
import type { Activity } from '@portico/contract/activity'
import { useCallback, useEffect } from 'react'
import { useActivity } from './activity.ts'
import { isRunning } from '#domain/job-lists'
import { useUser } from '#lib/session/session.ts'
import { currentSession, sessionStore } from '#lib/session/session-store.ts'
import { createStore, useStore } from '#lib/store.ts'

/** A job that has ended, and whether this person has read about it. */
export type Notification = Activity & { id: string; isUnread: boolean }

/** Read marks of a person in an account: everything until a moment, and single jobs since. */
type Seen = { until: string; ids: string[] }

const key = 'portico.notifications'
const seenText = createStore(localStorage.getItem(key) ?? '{}')

// The storage is cleared at the end of a session; the next person must not inherit the marks in memory.
sessionStore.subscribe(() => {
  if (currentSession().state === 'out') seenText.set('{}')
})
window.addEventListener('storage', (event) => {
  if (event.key === key) seenText.set(event.newValue ?? '{}')
})

/**
 * The jobs that ended in the tab's account, the latest first. Jobs that ended before the account was first opened in
 * this browser count as read.
 */
export function useNotifications() {
  const { email, account } = useUser()
  const owner = `${callerKey(email)} ${account}`
  const { data, error, isPending, refetch } = useActivity()
  const seen = readSeen(useStore(seenText))[owner]
  const ended = (data ?? []).filter((job) => !isRunning(job))
  const latest =
    ended
      .map(({ at }) => at)
      .toSorted()
      .at(-1) ?? ''

  const isFirstTime = data !== undefined && seen === undefined
  useEffect(() => {
    if (isFirstTime) writeSeen(owner, { until: latest, ids: [] })
  }, [isFirstTime, owner, latest])

  const items = ended.map((job) => notificationOf(job, seen))
  const markRead = useCallback(
    (id: string) => {
      const now = readSeen(seenText.get())[owner]
      if (now && !now.ids.includes(id)) writeSeen(owner, { ...now, ids: [...now.ids, id] })
    },
    [owner],
  )
  return {
    items,
    unread: items.filter(({ isUnread }) => isUnread).length,
    error,
    isPending,
    refetch,
    markRead,
    markAllRead: () => writeSeen(owner, { until: latest, ids: [] }),
  }
}

export function notificationOf(job: Activity, seen: Seen | undefined): Notification {
  const id = `${job.kind} ${job._id}`
  return { ...job, id, isUnread: seen !== undefined && job.at > seen.until && !seen.ids.includes(id) }
}

function writeSeen(owner: string, seen: Seen): void {
  const text = JSON.stringify({ ...readSeen(seenText.get()), [owner]: seen })
  localStorage.setItem(key, text)
  seenText.set(text)
}

/** An older version or a curious user may have written anything: only valid values are read. */
function readSeen(text: string): Record<string, Seen> {
  const entries = Object.entries(parse(text)).filter(([, value]) => isSeen(value))
  return Object.fromEntries(entries) as Record<string, Seen>
}

function isSeen(value: unknown): value is Seen {
  if (typeof value !== 'object' || value === null) return false
  const { until, ids } = value as Partial<Seen>
  return typeof until === 'string' && Array.isArray(ids) && ids.every((id) => typeof id === 'string')
}

function parse(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}
