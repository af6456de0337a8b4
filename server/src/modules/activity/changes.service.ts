import { ChangedList, type ChangeMarks } from '@portico/contract/activity'
import type { AccountId } from '@portico/contract/identity'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { Logger } from '#platform/log.ts'
import { selectChangeMarks } from './changes.queries.ts'

type Marks = Required<ChangeMarks>
type Listener = (marks: Marks) => void

/** Tells whoever listens to an account what has changed there. */
export type ChangeWatch = {
  /** Hears of the marks at once and whenever they change, until the answer is called. */
  listen: (account: AccountId, listener: Listener) => () => void
  close: () => void
}

/** Shorter than people notice, and one small query a second for an account that somebody looks at. */
const lookEveryMs = 1000

/** One watch for the process: each account is asked about once, however many listen to it, and not at all without any. */
export function createChangeWatch(db: Db, log: Logger): ChangeWatch {
  const watched = new Map<AccountId, { listeners: Set<Listener>; last: Marks | null; isLooking: boolean }>()

  async function look(account: AccountId): Promise<void> {
    const watch = watched.get(account)
    // A database that answers slowly is not asked twice at a time.
    if (!watch || watch.isLooking) return
    watch.isLooking = true
    try {
      const marks = await selectChangeMarks(db, account)
      const isNews = watch.last === null || lists.some((list) => watch.last?.[list] !== marks[list])
      watch.last = marks
      if (isNews) for (const listener of watch.listeners) listener(marks)
    } catch (error) {
      log.warn({ err: error, account }, 'changes could not be looked for')
    } finally {
      watch.isLooking = false
    }
  }
  const timer = setInterval(() => {
    for (const account of watched.keys()) void look(account)
  }, lookEveryMs)
  // Nobody waits for it when the process ends.
  timer.unref()

  return {
    listen(account, listener) {
      const watch = watched.get(account) ?? { listeners: new Set(), last: null, isLooking: false }
      watched.set(account, watch)
      watch.listeners.add(listener)
      if (watch.last) listener(watch.last)
      else void look(account)
      return () => {
        watch.listeners.delete(listener)
        if (watch.listeners.size === 0) watched.delete(account)
      }
    },
    close: () => clearInterval(timer),
  }
}

const lists = ChangedList.options

export async function getChanges(db: Db, account: AccountId, caller: Pick<Caller, 'can'>): Promise<ChangeMarks> {
  return visibleMarks(await selectChangeMarks(db, account), caller)
}

/** The marks of the lists that the caller may see. */
export function visibleMarks(marks: Marks, { can }: Pick<Caller, 'can'>): ChangeMarks {
  const seen = lists.filter((list) => can(`contact-service::${list}::get`, { params: {}, query: {}, body: {} }))
  return Object.fromEntries(seen.map((list) => [list, marks[list]]))
}
