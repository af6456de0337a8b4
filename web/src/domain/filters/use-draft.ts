import { useState } from 'react'
import { type Draft, draftOf } from './draft.ts'
import type { Filter } from './stages/filter.ts'

/** The draft of an applied filter, and whether it has changed since. */
export function useDraft(value: Filter) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(value))
  const [isApplied, setApplied] = useState(true)
  const [seen, setSeen] = useState(value)
  if (value !== seen) {
    setSeen(value)
    if (isApplied && !isSame(value, seen)) setDraft(adopted(value, draft))
    // The table's order changed: the draft keeps its other changes.
    else if (!isSame(value.sort, seen.sort)) setDraft({ ...draft, sort: value.sort })
  }
  return {
    draft,
    isApplied,
    change: (next: Draft): void => {
      setDraft(next)
      setApplied(false)
    },
    setApplied: () => setApplied(true),
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Unchanged rows keep their keys, and with them the focus. */
function adopted(value: Filter, draft: Draft): Draft {
  const next = draftOf(value)
  const keptKeys = <T extends { key: string }>(rows: T[], before: T[]): T[] =>
    rows.map((row, index) => ({ ...row, key: before[index]?.key ?? row.key }))
  return {
    ...next,
    standard: keptKeys(next.standard, draft.standard),
    behavioral: keptKeys(next.behavioral, draft.behavioral).map((row, index) => ({
      ...row,
      conditions: keptKeys(row.conditions, draft.behavioral[index]?.conditions ?? []),
    })),
    groupBy: {
      ...next.groupBy,
      events: keptKeys(next.groupBy.events, draft.groupBy.events),
      measures: keptKeys(next.groupBy.measures, draft.groupBy.measures),
    },
  }
}
