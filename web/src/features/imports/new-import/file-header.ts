import { findUnnamed } from '@portico/contract/import-header'
import type { ImportDelimiter } from '@portico/contract/imports'
import { foldName, tidyName } from '@portico/domain/names'
import { namedDelimiter } from '@portico/domain/separator-line'
import { isBlank, withoutOuterSpace } from '@portico/domain/white-space'
import { delimiterOfSign, findDelimiter, signs } from './file-delimiter.ts'
import { listParts, readBeginning as readPart, unpackBeginning } from './workbook/zip-head.ts'

/** Facts from the first line of a file. */
export type FileHeader = {
  columns: string[]
  /** Some columns are unnamed: the portal has to read the file first. */
  isUnclear?: true
}

/** The first line of a file with names, and the delimiter that the line before it names (`sep=;`). */
export type FirstLine = { text: string; delimiter: ImportDelimiter | null }

/** Facts from the beginning of a file of text. */
export type FileBeginning = {
  /** Null if it is blank, longer than the beginning, or of a compressed file, whose encoding only the server knows. */
  firstLine: FirstLine | null
  /** The delimiter that the file names or that its first lines seem to use; null if none splits them. */
  likelyDelimiter: ImportDelimiter | null
}

const readBytes = 64 * 1024

/** Whether the browser can read a file: it is neither packed nor compressed. */
const isPlainText = (fileName: string): boolean => /\.(csv|txt)$/i.test(fileName)

/** Reads at most the first 64 kB of a file of text, compressed or not; null for another file. */
export async function readBeginning(file: File): Promise<FileBeginning | null> {
  if (!isPlainText(file.name)) {
    const bytes = await readCompressed(file)
    return bytes && { firstLine: null, likelyDelimiter: takeSeparatorLine(decode(bytes)).likelyDelimiter }
  }
  const isWhole = file.size <= readBytes
  const bytes = new Uint8Array(await file.slice(0, readBytes).arrayBuffer())
  const { text, delimiter, likelyDelimiter } = takeSeparatorLine(decode(bytes))
  const end = endOfLine(text)
  const line = text.slice(0, end ?? undefined)
  const isKnown = (end !== null || isWhole) && !isBlank(line)
  return { firstLine: isKnown ? { text: line, delimiter } : null, likelyDelimiter }
}

/** Returns a text without a first line that names its delimiter, and the delimiter. */
function takeSeparatorLine(all: string) {
  const sign = namedDelimiter(/^[^\r\n]*/.exec(all)?.[0] ?? '')
  const text = sign === null ? all : all.replace(/^.*(\r\n|\r|\n|$)/, '')
  const delimiter = delimiterOfSign(sign)
  return { text, delimiter, likelyDelimiter: delimiter ?? findDelimiter(text) }
}

/** The beginning of a gzip file, or of the text in a zip file; null for any other file. */
async function readCompressed(file: File): Promise<Uint8Array | null> {
  if (/\.gz$/i.test(file.name)) return unpackBeginning(file, 'gzip')
  if (!/\.zip$/i.test(file.name)) return null
  const texts = (await listParts(file))?.filter(({ name }) => isPlainText(name) && !/^__MACOSX\/|(^|\/)\./.test(name))
  const [only, ...others] = texts ?? []
  return only && others.length === 0 ? readPart(file, only) : null
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
  return { columns: columns.filter(Boolean), ...unclear(columns) }
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
export function missingColumns(chosen: string[], columns: readonly string[] | null): string | null {
  if (!columns) return null
  const known = new Set(columns.map(foldName))
  const missing = chosen.map(withoutOuterSpace).filter((name) => name !== '' && !known.has(foldName(name)))
  return missing.length > 0 ? `The file has no column ${quotes(missing)}.` : null
}
