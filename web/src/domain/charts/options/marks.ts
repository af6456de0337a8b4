import type { Keys } from './chart-input.ts'

/** How strong values are drawn beside those that were chosen. */
export const faint = 0.25

export type Marks = {
  /** Whether anything that is drawn was chosen. */
  areAny: boolean
  isMarked: (keys: Keys) => boolean
  /** 1, or less for what was not chosen. */
  opacityOf: (keys: Keys) => number
}

/** Tells what was chosen from all else. `drawn`: all groups of the chart. */
export function marksOf(chosen: Keys | undefined, drawn: Iterable<Keys>): Marks {
  const wanted = new Set(chosen?.map((keys) => JSON.stringify(keys)))
  const isMarked = (keys: Keys): boolean => wanted.size > 0 && keys.some((each) => wanted.has(JSON.stringify(each)))
  const areAny = wanted.size > 0 && [...drawn].some(isMarked)
  return { areAny, isMarked, opacityOf: (keys) => (areAny && !isMarked(keys) ? faint : 1) }
}
