import type { Db } from '#platform/database.ts'
import type { Logger } from '#platform/log.ts'
import type { AuditEntry } from './audit.queries.ts'
import { keyOfRepeated, type RepeatedEntry, upsertRepeatedEntries } from './repeated-entries.queries.ts'

/**
 * Writes entries that strangers or programs can cause any number of times, such as failed sign-ins: equal entries of a
 * minute become one line with a count. They are written every second; a process that is killed loses up to one second
 * of them.
 */
export type RepeatedEntries = {
  add: (entry: AuditEntry) => void
  /** Writes the entries added so far. */
  flush: () => Promise<void>
  /** Writes the entries added so far, and stops. */
  close: () => Promise<void>
}

const flushEveryMs = 1000
// Per process. Beyond it, entries of the same minute are counted in one line for each action of an account.
const mostLinesPerMinute = 1000

export function createRepeatedEntries(db: Db, log: Logger, now: () => Date = () => new Date()): RepeatedEntries {
  let unwritten = new Map<string, RepeatedEntry>()
  let known = { minute: 0, keys: new Set<string>() }
  let flushing: Promise<void> = Promise.resolve()

  function add(entry: AuditEntry): void {
    const at = now()
    const minute = Math.floor(at.getTime() / 60_000)
    if (known.minute !== minute) known = { minute, keys: new Set() }
    const key = keyOfRepeated(entry, at)
    if (known.keys.size < mostLinesPerMinute) known.keys.add(key)
    count(known.keys.has(key) ? { entry, at, count: 1 } : { entry: withoutWho(entry), at, count: 1 })
  }
  function count(one: RepeatedEntry): void {
    const key = keyOfRepeated(one.entry, one.at)
    const same = unwritten.get(key)
    unwritten.set(key, same ? { ...same, count: same.count + one.count } : one)
  }
  async function write(): Promise<void> {
    if (unwritten.size === 0) return
    const written = [...unwritten.values()]
    unwritten = new Map()
    try {
      await upsertRepeatedEntries(db, written)
    } catch (error) {
      log.warn({ err: error }, 'entries of the audit log could not be written yet')
      if (unwritten.size < mostLinesPerMinute) written.forEach(count)
    }
  }
  const flush = (): Promise<void> => (flushing = flushing.then(write))
  const timer = setInterval(() => void flush(), flushEveryMs)
  timer.unref()
  return {
    add,
    flush,
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

function withoutWho({ account, action, via }: AuditEntry): AuditEntry {
  const others = { account, action, actor: 'others', subject: 'others', address: null }
  return via ? { ...others, via: { kind: via.kind } } : others
}

/**
 * Writes an entry at once, in the transaction of the event it records; equal entries of a minute become one line with a
 * count.
 */
export function recordRepeated(db: Db, entry: AuditEntry): Promise<void> {
  return upsertRepeatedEntries(db, [{ entry, at: new Date(), count: 1 }])
}
