import type { FieldType } from '@portico/contract/contacts'

/** Between values: commas, as the specification says, and the separators of spreadsheets and other programs. */
const separator = /\r\n|[,;\t\r\n]/g

/** The items of a list of values. A quoted item may contain separators, and `""` for a quote. */
export function itemsOf(list: string): string[] {
  const items: string[] = []
  for (let at = 0; ;) {
    const { text, end } = quotedAt(list, at) ?? plainAt(list, at)
    items.push(text)
    if (end >= list.length) return items
    at = end + (list.startsWith('\r\n', end) ? 2 : 1)
  }
}

type Item = { text: string; end: number }

function plainAt(list: string, from: number): Item {
  separator.lastIndex = from
  const end = separator.exec(list)?.index ?? list.length
  return { text: list.slice(from, end).trim(), end }
}

/** The quoted item that begins here, up to its separator; null if there is none. */
function quotedAt(list: string, from: number): Item | null {
  const opening = list.slice(from, from + 50).search(/\S/) + from
  if (list[opening] !== '"') return null
  let closing = list.indexOf('"', opening + 1)
  while (closing !== -1 && list[closing + 1] === '"') closing = list.indexOf('"', closing + 2)
  if (closing === -1) return null
  const rest = plainAt(list, closing + 1)
  return rest.text === '' ? { text: list.slice(opening + 1, closing).replaceAll('""', '"'), end: rest.end } : null
}

/** Formats values as a list from which `itemsOf` reads the same values. */
export const listOf = (values: readonly string[]): string =>
  values.map((value) => (/[,;\t\r\n]|^\s|\s$|^"|^$/.test(value) ? quoted(value) : value)).join(', ')

const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`

/** A number with commas between thousands: 1,250.75. */
const grouped = /^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/

/** A number without its thousands separators; any other text is unchanged. */
export const withoutThousands = (text: string): string => (grouped.test(text.trim()) ? text.replaceAll(',', '') : text)

/**
 * A pasted list: a column or row of a spreadsheet, lines of any program, values between semicolons or commas. Null if
 * the text can be pasted unchanged.
 */
export function pastedList(text: string, type: FieldType): string | null {
  const trimmed = withoutEnds(text)
  if (trimmed === text && !/[;\t\r\n]/.test(text)) return null
  const between = /[\t\r\n]/.test(text) ? /[\t\r\n]+/ : /;/.test(trimmed) ? /;/ : null
  if (between === null) return trimmed
  const pieces = trimmed.split(between).map(withoutEnds)
  return listOf(pieces.filter((piece) => piece !== '').flatMap((piece) => valuesOf(piece, type)))
}

/** A piece between separators: one value, unless its commas can only be separators. */
function valuesOf(piece: string, type: FieldType): string[] {
  const parts = itemsOf(piece)
  if (parts.length === 1) return parts
  if (type !== 'number') return parts.every((part) => part.includes('@')) ? parts : [piece]
  return /,\s/.test(piece) ? parts : [withoutThousands(piece)]
}

const withoutEnds = (text: string): string => {
  let [from, to] = [0, text.length]
  while (from < to && isEnd(text[from])) from++
  while (to > from && isEnd(text[to - 1])) to--
  return text.slice(from, to)
}

const isEnd = (sign: string | undefined): boolean => sign === ',' || sign === ';' || sign?.trim() === ''
