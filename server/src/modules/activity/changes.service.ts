import type { ChangeMarks } from '@portico/contract/activity'
import type { AccountId } from '@portico/contract/accounts'
import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { Logger } from '#platform/log.ts'
import type { ChangeSource } from '#platform/registration.ts'
import { selectChangeMarks } from './changes.queries.ts'

/** The marks of all lists of an account, and of the rights in it. */
export type Marks = ChangeMarks & { access?: string }

type Listener = (marks: Marks) => void

/** Publishes the change marks of accounts to the clients that follow them. */
export type ChangeWatch = {
  /** Calls the listener with the marks at once and whenever they change, until the returned function is called. */
  listen: (account: AccountId, listener: Listener) => () => void
  close: () => void
}

/** Too short for users to notice, and only one small query a second per account with listeners. */
const pollMs = 1000

/** One watch for the process: each account with listeners is polled once, regardless of their number. */
export function createChangeWatch(db: Db, log: Logger, sources: readonly ChangeSource[]): ChangeWatch {
  const watched = new Map<AccountId, { listeners: Set<Listener>; last: Marks | null; isPolling: boolean }>()
  const lists = [...new Set(sources.map(({ list }) => list))]

  async function poll(account: AccountId): Promise<void> {
    const watch = watched.get(account)
    // A slow database gets only one query at a time.
    if (!watch || watch.isPolling) return
    watch.isPolling = true
    try {
      const marks = await readMarks(db, account, sources)
      const isNews = watch.last === null || lists.some((list) => watch.last?.[list] !== marks[list])
      watch.last = marks
      if (isNews) for (const listener of watch.listeners) listener(marks)
    } catch (error) {
      log.warn({ err: error, account }, 'changes could not be read')
    } finally {
      watch.isPolling = false
    }
  }
  const timer = setInterval(() => {
    for (const account of watched.keys()) void poll(account)
  }, pollMs)
  // Does not keep the process alive.
  timer.unref()

  return {
    listen(account, listener) {
      const watch = watched.get(account) ?? { listeners: new Set(), last: null, isPolling: false }
      watched.set(account, watch)
      watch.listeners.add(listener)
      if (watch.last) listener(watch.last)
      else void poll(account)
      return () => {
        watch.listeners.delete(listener)
        if (watch.listeners.size === 0) watched.delete(account)
      }
    },
    close: () => clearInterval(timer),
  }
}

export async function getChanges(
  db: Db,
  account: AccountId,
  caller: Pick<Caller, 'can'>,
  sources: readonly ChangeSource[],
): Promise<ChangeMarks> {
  return visibleMarks(await readMarks(db, account, sources), caller, sources)
}

function readMarks(db: Db, account: AccountId, sources: readonly ChangeSource[]): Promise<Marks> {
  const ofLists = Map.groupBy(sources, ({ list }) => list)
  const marks = [...ofLists].map(([list, all]) => [list, all.map(({ mark }) => mark(account))] as const)
  return selectChangeMarks(db, account, new Map(marks))
}

/** The marks of the lists that the caller may see, that is, whose sources' actions are all allowed. */
export function visibleMarks(
  marks: Marks,
  { can }: Pick<Caller, 'can'>,
  sources: readonly ChangeSource[],
): ChangeMarks {
  // Calls of lists have no path parameters; a mark says only that something in a list has changed.
  const hidden = sources.filter(
    ({ list, action }) => list === 'access' || !can(action, { params: {}, query: {}, body: {} }),
  )
  const hiddenLists = new Set<string>(hidden.map(({ list }) => list))
  return Object.fromEntries(Object.entries(marks).filter(([list]) => !hiddenLists.has(list)))
}
