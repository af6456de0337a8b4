/** A part of a text: from its first character to the one after its last. */
export type TextRange = { from: number; to: number }

/** The name at a path, or the value where there is no name. */
type JsonPlace = TextRange & { path: string[] }

/**
 * The place in a text at which the user types: the name of an entry, or a value. `path` leads to the object of the
 * name, or to the value; `names` are those that the object has. The range is that of the name or value as typed so far.
 */
type JsonSpot = TextRange & { of: 'name' | 'value'; path: string[]; names: string[] }

export type JsonScan = {
  /** In the order of the text. */
  places: JsonPlace[]
  /** The first place at which the text is not valid JSON; null if it is valid. */
  fault: number | null
  /** Null if neither a name nor a value is being typed. */
  spot: JsonSpot | null
}

type Turn = 'colon' | 'comma' | 'name' | 'value'
type Frame = { isList: boolean; path: string[]; names: string[]; turn: Turn; key: string; isFirst: boolean }

const token = /[{}[\]:,]|"(?:[^"\\\n]|\\.)*"?|[^\s{}[\]:,"]+/g

const isScalar = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The text of a name, even one without its closing quotation mark. */
function nameOf(text: string): string {
  const closed = text.length > 1 && text.endsWith('"') ? text : `${text}"`
  return isScalar(closed) ? (JSON.parse(closed) as string) : text.replaceAll('"', '')
}

/** Scans a text that is or is becoming JSON: the places of its names and values, and the one being typed at `at`. */
export function scanJson(text: string, at = -1): JsonScan {
  const root: Frame = { isList: false, path: [], names: [], turn: 'value', key: '', isFirst: true }
  const scan: JsonScan & { frames: Frame[] } = { places: [], fault: null, spot: null, frames: [root] }
  let isSpotPassed = at < 0
  for (const { 0: part, index: from } of text.matchAll(token)) {
    const to = from + part.length
    const isWord = !'{}[]:,'.includes(part)
    if (!isSpotPassed && (isWord ? to >= at : to > at)) {
      isSpotPassed = true
      scan.spot = spotIn(topOf(scan.frames, root), isWord && from < at ? { from, to } : { from: at, to: at })
    }
    if (!step(scan, root, part, { from, to })) scan.fault ??= from
  }
  if (!isSpotPassed) scan.spot = spotIn(topOf(scan.frames, root), { from: at, to: at })
  const isWhole = scan.frames.length === 1 && root.turn === 'comma'
  return { places: scan.places, fault: scan.fault ?? (isWhole ? null : text.length), spot: scan.spot }
}

const topOf = (frames: readonly Frame[], root: Frame): Frame => frames.at(-1) ?? root

function spotIn(frame: Frame, range: TextRange): JsonSpot | null {
  if (frame.turn === 'name') return { ...range, of: 'name', path: frame.path, names: frame.names }
  if (frame.turn === 'value') return { ...range, of: 'value', path: valuePath(frame), names: frame.names }
  return null
}

/** Only the root's value has no path. */
const valuePath = ({ path, key, names, isList }: Frame): string[] => {
  if (isList) return [...path, String(names.length)]
  return key === '' && names.length === 0 ? path : [...path, key]
}

type Scanning = { frames: Frame[]; places: JsonPlace[] }

/** Consumes the next part of the text; false if it is not allowed there. */
function step(scan: Scanning, root: Frame, part: string, range: TextRange): boolean {
  const frame = topOf(scan.frames, root)
  if (part === '{' || part === '[') return open(scan, frame, part === '[', range)
  if (part === '}' || part === ']') return close(scan, frame, part === ']')
  if (part === ':') {
    const isRight = frame.turn === 'colon'
    if (isRight) frame.turn = 'value'
    return isRight
  }
  if (part === ',') {
    const isRight = frame.turn === 'comma' && scan.frames.length > 1
    if (scan.frames.length > 1) frame.turn = frame.isList ? 'value' : 'name'
    return isRight
  }
  return word(scan, frame, part, range)
}

function open(scan: Scanning, frame: Frame, isList: boolean, range: TextRange): boolean {
  const isRight = frame.turn === 'value'
  const path = valuePath(frame)
  if (frame.isList) scan.places.push({ ...range, path })
  endValue(frame)
  scan.frames.push({ isList, path, names: [], turn: isList ? 'value' : 'name', key: '', isFirst: true })
  return isRight
}

function close(scan: Scanning, frame: Frame, isList: boolean): boolean {
  if (scan.frames.length === 1) return false
  scan.frames.pop()
  return frame.isList === isList && (frame.turn === 'comma' || frame.isFirst)
}

function word(scan: Scanning, frame: Frame, part: string, range: TextRange): boolean {
  if (frame.turn === 'name') {
    frame.key = nameOf(part)
    frame.names.push(frame.key)
    frame.turn = 'colon'
    frame.isFirst = false
    scan.places.push({ ...range, path: [...frame.path, frame.key] })
    return part.startsWith('"') && isScalar(part)
  }
  const isRight = frame.turn === 'value' && isScalar(part)
  if (frame.isList) scan.places.push({ ...range, path: valuePath(frame) })
  endValue(frame)
  return isRight
}

function endValue(frame: Frame): void {
  frame.turn = 'comma'
  frame.isFirst = false
  // Counts the entries of a list.
  if (frame.isList) frame.names.push('')
}

/** The place of a path, or of its nearest ancestor; the start of the text if there is none. */
export function placeOf({ places }: JsonScan, path: readonly string[]): TextRange {
  for (let length = path.length; length > 0; length--) {
    const found = places.findLast(
      (place) => place.path.length === length && place.path.every((name, at) => name === path[at]),
    )
    if (found) return { from: found.from, to: found.to }
  }
  return { from: 0, to: 0 }
}

/** The line number of a place, from 1. */
export const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length
