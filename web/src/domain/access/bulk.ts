import { useState } from 'react'
import { formatCount } from '#lib/formats.ts'
import type { AlertSection } from '#ui/dialog/alerts-dialog.tsx'
import { notifyDone } from '#ui/feedback/notify.ts'
import { useFreshLists } from './access-queries.ts'
import { inParallel } from './in-parallel.ts'

/** 'policy', 'policies' */
export type Noun = { one: string; many: string }

export const nouns = {
  policies: { one: 'policy', many: 'policies' },
  groups: { one: 'group', many: 'groups' },
  identities: { one: 'identity', many: 'identities' },
} as const satisfies Record<string, Noun>

type BulkAct<T> = {
  items: readonly T[]
  nameOf: (item: T) => string
  noun: Noun
  /** Past participle of the action: 'deleted', 'updated'. */
  done: 'deleted' | 'updated'
  act: (item: T) => Promise<unknown>
  /** Items that need no call, with the reason. */
  skipped?: { item: T; message: string }[]
}

/** Runs an action on many items and reports the result: a snackbar if all succeeded, else an alert with both lists. */
export function useBulk() {
  const refresh = useFreshLists()
  const [isBusy, setBusy] = useState(false)
  const [alerts, setAlerts] = useState<AlertSection[] | null>(null)

  async function run<T>({ items, nameOf, noun, done, act, skipped = [] }: BulkAct<T>): Promise<void> {
    setBusy(true)
    const outcome = await inParallel(items, act)
    await refresh()
    setBusy(false)
    const failed = [...skipped, ...outcome.failed]
    if (outcome.done.length > 0) notifyDone(`${formatCount(outcome.done.length, noun.one, noun.many)} ${done}.`)
    if (failed.length === 0) return
    if (outcome.done.length === 0) notifyDone('Action finished.')
    setAlerts([
      {
        title: `Following ${noun.many} were ${done}:`,
        kind: 'done',
        items: outcome.done.map((item) => ({ name: nameOf(item) })),
      },
      {
        title: `Following ${noun.many} could not be ${done}:`,
        kind: 'failed',
        items: failed.map(({ item, message }) => ({ name: nameOf(item), message })),
      },
    ])
  }
  return { run, isBusy, alerts, closeAlerts: () => setAlerts(null) }
}

export type Bulk = ReturnType<typeof useBulk>

/** Confirms that an action was cancelled. */
export const notifyCancelled = (): void => notifyDone('Action cancelled.')
