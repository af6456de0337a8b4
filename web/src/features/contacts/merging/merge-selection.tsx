import type { Field, Offer } from '@portico/contract/contacts'
import { type ReactNode, useState } from 'react'
import IconArrowMerge from '#icons/IconArrowMerge'
import { useCan } from '#lib/session/session.ts'
import { ReasonedButton } from '#ui/feedback/reasoned-button.tsx'
import type { Selection } from '#ui/table/data-table.tsx'
import { SelectionBar } from '#ui/table/selection-bar.tsx'
import { MergeDialog } from './on-demand.ts'

const none: ReadonlySet<string> = new Set()

/**
 * The selection of two contacts of a table, and the bar that merges them; neither for users who may not change and delete
 * contacts. `search`: the selection ends with it; null for rows that are no contacts.
 */
export function useMergeSelection(
  search: string | null,
  fields: readonly Field[],
  rows: readonly Offer[] | undefined,
): { selection: Selection | undefined; bar: ReactNode } {
  const [{ of, ids }, setSelected] = useState({ of: search, ids: none })
  const [pair, setPair] = useState<{ kept: Offer; other: string } | null>(null)
  // Contacts of other pages are known by their ids.
  const [seen, setSeen] = useState<ReadonlyMap<string, Offer>>(new Map())
  const canUpdate = useCan('contact-offers-update')
  const canDelete = useCan('contact-offers-delete')
  if (search === null || !canUpdate || !canDelete) return { selection: undefined, bar: null }
  const selected = of === search ? ids : none
  const change = (next: ReadonlySet<string>): void => {
    setSelected({ of: search, ids: next })
    setSeen(new Map([...seen, ...(rows ?? []).map((row) => [row._id, row] as const)].filter(([id]) => next.has(id))))
  }
  const clear = (): void => change(none)
  const merge = (): void => {
    const [kept = '', other = ''] = selected
    const contact = seen.get(kept)
    if (contact) setPair({ kept: contact, other })
  }
  const bar = (
    <>
      <SelectionBar count={selected.size} onClear={clear}>
        <ReasonedButton
          label="Merge"
          Icon={IconArrowMerge}
          {...(selected.size !== 2 && { reason: 'Select two contacts to merge them.' })}
          onClick={merge}
        />
      </SelectionBar>
      {pair && (
        <MergeDialog
          contact={pair.kept}
          other={pair.other}
          fields={fields}
          onMerged={clear}
          onClose={() => setPair(null)}
        />
      )}
    </>
  )
  return { selection: { ids: selected, onChange: change }, bar }
}
