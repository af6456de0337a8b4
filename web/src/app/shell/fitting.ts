import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'

/** In pixels: the gap between entries, and the width of the button for the rest. */
const gap = 2
const moreWidth = 78

/** Number of entries that fit in a row of `available` pixels, leaving room for the button if not all fit. */
export function fittingCount(widths: readonly number[], available: number): number {
  const ends = widths.map((_, index) => widths.slice(0, index + 1).reduce((sum, width) => sum + width + gap, -gap))
  if ((ends.at(-1) ?? 0) <= available) return widths.length
  return ends.filter((end) => end + gap + moreWidth <= available).length
}

type Fitting = { row: RefObject<HTMLDivElement | null>; ruler: RefObject<HTMLDivElement | null>; count: number }

/** Measures how many entries fit into `row`; `ruler` holds all of them, invisible, at their full width. */
export function useFitting(entries: number): Fitting {
  const row = useRef<HTMLDivElement>(null)
  const ruler = useRef<HTMLDivElement>(null)
  const [count, setCount] = useState(entries)
  useLayoutEffect(() => {
    const [place, all] = [row.current, ruler.current]
    if (!place || !all) return undefined
    const measure = (): void => {
      const widths = Array.from(all.children, (child) => child.getBoundingClientRect().width)
      // Synchronously: entries must never be painted where they do not fit.
      flushSync(() => setCount(fittingCount(widths, place.clientWidth)))
    }
    // The browser calls it before the first paint, once the layout is known. Measuring here would compute the layout
    // twice.
    const observer = new ResizeObserver(measure)
    // The ruler too: it grows when the font has loaded.
    observer.observe(place)
    observer.observe(all)
    return () => observer.disconnect()
  }, [entries])
  return { row, ruler, count }
}
