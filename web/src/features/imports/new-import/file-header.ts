import { findUnnamed } from '@portico/contract/import-header'
import type { ImportDelimiter } from '@portico/contract/imports'
import { foldName, tidyName } from '@portico/domain/names'
import { namedDelimiter } from '@portico/domain/separator-line'
import { isBlank, withoutOuterSpace } from '@portico/domain/white-space'

/** Facts from the first line of a file. */
export type FileHeader = {
  columns: string[]
  /** The delimiter that the file names or that the line seems to use; null if any delimiter gives one column. */
  likelyDelimiter: ImportDelimiter | null
  /** Some columns are unnamed: the portal has to read the file first. */
  isUnclear?: true
}

/** The first line of a file with names, and the delimiter that the line before it names (`sep=;`). */
export type FirstLine = { text: string; delimiter: ImportDelimiter | null }

const readBytes = 64 * 1024
const signs: Record<ImportDelimiter, string> = { comma: ',', tab: '\t', pipe: '|', semicolon: ';' }

/** Whether the browser can read a file: it is neither packed nor compressed. */
export const isPlainText = (fileName: string): boolean => /\.(csv|txt)$/i.test(fileName)

/** Reads at most the first 64 kB of a file. Null if the first line is longer than that, or blank. */
export async function readFirstLine(file: Blob): Promise<FirstLine | null> {
  const isWhole = file.size <= readBytes
  const all = decode(new Uint8Array(await file.slice(0, readBytes).arrayBuffer()))
  const sign = namedDelimiter(/^[^\r\n]*/.exec(all)?.[0] ?? '')
  const text = sign === null ? all : all.replace(/^.*(\r\n|\r|\n|$)/, '')
  const end = endOfLine(text)
  if (end === null && !isWhole) return null
  const line = text.slice(0, end ?? undefined)
  if (isBlank(line)) return null
  // The names are the keys of `signs`.
  const delimiter = Object.keys(signs).find((name) => signs[name as ImportDelimiter] === sign) as ImportDelimiter
  return { text: line, delimiter: delimiter ?? null }
}

/** UTF-8, UTF-16 with a byte order mark, or Windows-1252, as the server decodes them. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes)
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  try {
    // `stream`: the last character may be cut off.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** The end of the first record, which may contain line breaks between quotes. Null if it is not complete. */
function endOfLine(text: string): number | null {
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') isQuoted = !isQuoted
    else if (!isQuoted && (char === '\n' || char === '\r')) return at
  }
  return null
}

/** The columns of a first line, split by the chosen delimiter unless the file names another. */
export function parseHeader({ text: line, delimiter }: FirstLine, chosen: ImportDelimiter): FileHeader {
  const columns = splitLine(line, signs[delimiter ?? chosen]).map(tidyName)
  const counts = Object.entries(signs).map(([name, sign]) => ({ name, count: splitLine(line, sign).length }))
  const most = counts.reduce((best, one) => (one.count > best.count ? one : best))
  return {
    columns: columns.filter(Boolean),
    // The names are the keys of `signs`.
    likelyDelimiter: delimiter ?? (most.count > 1 ? (most.name as ImportDelimiter) : null),
    ...unclear(columns),
  }
}

/** Marks the header as unclear if a column is unnamed. */
export const unclear = (columns: readonly string[]): { isUnclear?: true } =>
  findUnnamed(columns).length > 0 ? { isUnclear: true } : {}

function splitLine(line: string, sign: string): string[] {
  const cells: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at)
    if (char === '"' && isQuoted && line[at + 1] === '"') {
      cell += '"'
      at++
    } else if (char === '"') isQuoted = !isQuoted
    else if (char === sign && !isQuoted) {
      cells.push(cell)
      cell = ''
    } else cell += char
  }
  return [...cells, cell]
}

const quotes = (names: string[]): string => names.map((name) => `"${name}"`).join(', ')

/** The message for chosen columns that the file lacks; null if it has them all, or its columns are unknown. */
export function missingColumns(chosen: string[], columns: string[] | null): string | null {
  if (!columns) return null
  const known = new Set(columns.map(foldName))
  const missing = chosen.map(withoutOuterSpace).filter((name) => name !== '' && !known.has(foldName(name)))
  return missing.length > 0 ? `The file has no column ${quotes(missing)}.` : null
}
