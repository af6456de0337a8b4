import type { NewerVersion, Save } from '@portico/contract/versions'
import { useRef, useState } from 'react'
import { isApiError } from '#lib/api/api-error.ts'
import type { EditedForm } from './edited-form.ts'
import { contestedPaths, isSameLeaf, type Leaves, leavesOf, withLeaves } from './leaves.ts'

/** A value that another person has changed, and that the form would change back. */
export type ContestedValue = { path: string; saved: unknown; mine: unknown }

export type Editing<Item> = {
  /** Saves by `put`, which receives the item whose version it sends: null for a new one. */
  save: <Saved>(put: (over: Item | null) => Promise<Saved>) => Promise<Saved>
  /** Another person has saved the item while the form was open. */
  conflict: { saves: Save[]; values: ContestedValue[] } | null
  /** Typed values that saved ones have replaced in the form, by path. */
  replaced: Leaves | null
  /** Takes the saved values into the form. The typed values they replace are kept in `replaced`. */
  takeSaved: () => void
  putBack: (path: string) => void
  /** For forms that stay open: they continue from the saved item. */
  restart: (saved: Item) => void
}

type EditingOptions<Item, Values> = {
  /** The item as the server had it when the form opened; null for a new one. */
  item: Item | null
  /** Reads the item again. */
  read: (item: Item) => Promise<Item>
  valuesOf: (item: Item) => Values
  form: EditedForm<Values>
}

const mostTries = 3

type Conflict<Item> = { saves: Save[]; item: Item }

/**
 * Saves an item's form over the version that it opened with. If another person has saved the item since, and the form
 * would change that back, `save` throws and there is a `conflict` to show. Saving again then deliberately overwrites
 * the values shown.
 */
export function useEditing<Item extends { version: number }, Values extends object>(
  options: EditingOptions<Item, Values>,
): Editing<Item> {
  const { item, read, valuesOf, form } = options
  const [opened, setOpened] = useState(item)
  const [conflict, setConflict] = useState<Conflict<Item> | null>(null)
  const [replaced, setReplaced] = useState<Leaves | null>(null)
  // A ref, because overwriting saves at once.
  const over = useRef(item)

  const restart = (saved: Item): void => {
    over.current = saved
    setOpened(saved)
    setConflict(null)
    setReplaced(null)
  }

  async function save<Saved>(put: (over: Item | null) => Promise<Saved>): Promise<Saved> {
    for (let tries = 1; ; tries++) {
      try {
        return await put(over.current)
      } catch (error) {
        if (!opened || !isApiError(error, 'newer_version')) throw error
        const saved = await read(opened)
        over.current = saved
        const isContested = contestedPaths(valuesOf(opened), valuesOf(saved), form.values).length > 0
        // Others have changed parts that this form does not have, or have made the same changes.
        if (!isContested && tries < mostTries) continue
        // The server writes the details of this code in this form.
        const { changes } = error.details as NewerVersion
        setReplaced(null)
        setConflict((before) => ({ saves: [...changes, ...(before?.saves ?? [])], item: saved }))
        throw error
      }
    }
  }

  function contested({ item: saved }: Conflict<Item>): ContestedValue[] {
    if (!opened) return []
    const [now, mine] = [leavesOf(valuesOf(saved)), leavesOf(form.values)]
    const paths = contestedPaths(valuesOf(opened), valuesOf(saved), form.values)
    return paths.map((path) => ({ path, saved: now.get(path), mine: mine.get(path) }))
  }

  function takeSaved(): void {
    if (!conflict || !opened) return
    const before = leavesOf(valuesOf(opened))
    const values = contested(conflict)
    const merged = withLeaves(form.values, new Map(values.map(({ path, saved }) => [path, saved])))
    const typed = values.filter(({ path, mine }) => !isSameLeaf(mine, before.get(path)))
    form.rebase(valuesOf(conflict.item), merged)
    restart(conflict.item)
    setReplaced(new Map(typed.map(({ path, mine }) => [path, mine])))
  }

  function putBack(path: string): void {
    if (!replaced || !opened) return
    form.rebase(valuesOf(opened), withLeaves(form.values, new Map([[path, replaced.get(path)]])))
    setReplaced(new Map([...replaced].filter(([other]) => other !== path)))
  }

  const shown = conflict && { saves: conflict.saves, values: contested(conflict) }
  return { save, conflict: shown, replaced, takeSaved, putBack, restart }
}
