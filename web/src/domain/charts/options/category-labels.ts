/** Average width of a letter, and height of a line, of labels at the usual size, in pixels. */
const [letterWidth, lineHeight] = [6.2, 14]
/** Longer labels are shortened; the tooltip has them whole. */
const longest = 110
/** Less room than this shows too little of a label. */
const leastRoom = 56

type LabelLayout = { width: number; interval: number; rotate?: number }

/**
 * How the labels of categories are laid out along a horizontal axis of this length, in pixels. Side by side where all fit, perhaps
 * shortened; else turned, so that one long label costs the others nothing. Only where a turned line has no room either are
 * some left out, evenly.
 */
export function layOutLabels(texts: readonly string[], length: number): LabelLayout {
  const room = length / Math.max(1, texts.length)
  const wanted = Math.min(longest, letterWidth * Math.max(0, ...texts.map((text) => text.length)))
  if (wanted + 6 <= room || room >= leastRoom) return { width: Math.min(longest, room - 6), interval: 0 }
  // Lines that are turned by 45° are further apart than those that stand upright.
  if (room >= lineHeight * Math.SQRT2) return { width: longest, interval: 0, rotate: 45 }
  return { width: longest, interval: Math.ceil(lineHeight / room) - 1, rotate: 90 }
}
