import type { createSpotlightStore } from '@mantine/spotlight'
import { type RefObject, useEffect } from 'react'

type Store = ReturnType<typeof createSpotlightStore>

const mark = 'data-selected'

/**
 * Keeps the mark of the palette right as entries come and go. Mantine marks an element and counts its place, both when
 * the text changes or an arrow is pressed: with what is found later, the first entry would be another one, or the place.
 */
export function useMarkKept(store: Store, list: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const entries = [...(list.current?.querySelectorAll('[data-action]') ?? [])]
    const { selected, query } = store.getState()
    // Opened, it marks nothing until a key is pressed.
    if (entries.length === 0 || (selected < 0 && query === '')) return
    const marked = entries.findIndex((entry) => entry.hasAttribute(mark))
    // Moved by an arrow the mark stays with its entry; otherwise it is at the first.
    const place = selected > 0 && marked >= 0 ? marked : 0
    if (marked !== place) {
      entries[marked]?.removeAttribute(mark)
      entries[place]?.setAttribute(mark, 'true')
    }
    if (selected !== place) store.updateState((state) => ({ ...state, selected: place }))
  })
}
