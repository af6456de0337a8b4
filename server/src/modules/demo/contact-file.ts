import { Readable } from 'node:stream'
import { setImmediate as immediate } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import type { ImportDelimiter } from '@portico/contract/imports'
import type { Cell, Column } from './columns.ts'
import { makeFigures, people, type Person, type Population } from './person.ts'
import { seeded } from './random.ts'

/** A file of contacts, as a typical program would write it. */
export type ContactFile = {
  /** Ends with `.gz` if compressed. */
  fileName: string
  delimiter: ImportDelimiter
  columns: readonly Column[]
  /** Column name → its name in this file. */
  headers?: Readonly<Record<string, string>>
  /** The range of the population that is new in this file: from the first index up to, not including, the second. */
  brings: readonly [number, number]
  /** The file also repeats every n-th person before that range, most of them with changes. */
  repeatsEvery?: number
  /** Number of broken rows, with too many or too few cells. */
  brokenRows?: number
  dates: 'iso' | 'american'
}

const delimiters: Record<ImportDelimiter, string> = { comma: ',', tab: '\t', pipe: '|', semicolon: ';' }

// Small chunks keep the portal responsive.
const peoplePerChunk = 250

/** Streams the file's bytes, generated on the fly. */
export function readContactFile(file: ContactFile, population: Population): Readable {
  const text = Readable.from(chunks(file, population), { objectMode: false })
  return file.fileName.endsWith('.gz') ? text.compose(createGzip()) : text
}

async function* chunks(file: ContactFile, population: Population): AsyncGenerator<Buffer> {
  let text = headerLine(file)
  for (const person of people(population)) {
    if (person.index >= file.brings[1]) break
    text += linesOf(person, file, population)
    if (person.index % peoplePerChunk > 0) continue
    await immediate()
    if (text !== '') yield Buffer.from(text)
    text = ''
  }
  if (text !== '') yield Buffer.from(text)
}

function headerLine({ columns, headers, delimiter }: ContactFile): string {
  return `${columns.map(({ name }) => headers?.[name] ?? name).join(delimiters[delimiter])}\n`
}

/** Returns the lines of a person: none, a row, or a row and a broken one. */
function linesOf(person: Person, file: ContactFile, population: Population): string {
  const [from, to] = file.brings
  const isNew = person.index >= from
  if (!isNew && !(file.repeatsEvery && person.index % file.repeatsEvery === 0)) return ''
  const current = isNew ? person : changed(person, population)
  const delimiter = delimiters[file.delimiter]
  const cells = file.columns.map((column) => quoted(cellText(column.cell(current), file), delimiter))
  const line = `${cells.join(delimiter)}\n`
  const brokenEvery = file.brokenRows ? Math.floor((to - from) / file.brokenRows) : Infinity
  if (!isNew || (person.index - from + 1) % brokenEvery > 0) return line
  return `${line}${broken(cells, person.index).join(delimiter)}\n`
}

function cellText(cell: Cell, { dates }: ContactFile): string {
  if (cell === null) return ''
  if (!(cell instanceof Date)) return String(cell)
  const iso = cell.toISOString().slice(0, 10)
  return dates === 'iso' ? iso : `${cell.getUTCMonth() + 1}/${cell.getUTCDate()}/${cell.getUTCFullYear()}`
}

function quoted(text: string, delimiter: string): string {
  return text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Breaks a row as manual edits do: drops its last cells, or adds a cell. */
function broken(cells: readonly string[], index: number): string[] {
  return index % 2 === 0 ? cells.slice(0, 9) : cells.toSpliced(3, 0, 'see note')
}

/** Returns the same person some time later. One in six is unchanged. */
function changed(person: Person, { seed, segments, asOf }: Population): Person {
  const random = seeded(`${seed} ${person.index} later`)
  if (random.chance(1 / 6)) return person
  const before = segments.find(({ name }) => name === person.segment)
  const segment = random.chance(0.3) ? segments.find(({ name }) => name === before?.next) : before
  if (!segment) return person
  const figures = makeFigures(random, segment, asOf)
  return {
    ...person,
    ...figures,
    // Spending never decreases.
    value: person.value === null ? figures.value : Math.round((person.value + random.next() * 240) * 100) / 100,
    jobTitle: random.chance(0.12) ? 'Director' : person.jobTitle,
  }
}
