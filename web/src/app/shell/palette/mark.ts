import type { createSpotlightStore } from '@mantine/spotlight'
import { type RefObject, useEffect } from 'react'

type Store = ReturnType<typeof createSpotlightStore>

const mark = 'data-selected'

/**
 * Keeps the palette's mark correct as entries appear and disappear. Mantine marks an element and stores its index, both
 * only when the text changes or an arrow is pressed: with later results, the first entry or the index would be wrong.
 */
export function useMarkKept(store: Store, list: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const entries = [...(list.current?.querySelectorAll('[data-action]') ?? [])]
    const { selected, query } = store.getState()
    // After opening, no entry is marked until a key is pressed.
    if (entries.length === 0 || (selected < 0 && query === '')) return
    const marked = entries.findIndex((entry) => entry.hasAttribute(mark))
    // Once an arrow has moved it, the mark stays with its entry; otherwise it is at the first.
    const place = selected > 0 && marked >= 0 ? marked : 0
    if (marked !== place) {
      entries[marked]?.removeAttribute(mark)
      entries[place]?.setAttribute(mark, 'true')
    }
    if (selected !== place) store.updateState((state) => ({ ...state, selected: place }))
  })
}
