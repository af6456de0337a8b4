import { Readable } from 'node:stream'
import { setImmediate as immediate } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import type { ImportDelimiter } from '@portico/contract/imports'
import type { Cell, Column } from './columns.ts'
import { makeStanding, people, type Person, type Population } from './person.ts'
import { seeded } from './random.ts'

/** A file of contacts as some program of the account would have written it. */
export type ContactFile = {
  /** Ends with `.gz` for a packed one. */
  fileName: string
  delimiter: ImportDelimiter
  columns: readonly Column[]
  /** Column name → the name this file has for it. */
  headers?: Readonly<Record<string, string>>
  /** The part of the population that it brings for the first time: numbers from the first up to, not including, the second. */
  brings: readonly [number, number]
  /** It also brings every n-th of those before, most of them with changes. */
  repeatsEvery?: number
  /** So many rows are broken: they have too many cells, or too few. */
  brokenRows?: number
  dates: 'iso' | 'american'
}

const delimiters: Record<ImportDelimiter, string> = { comma: ',', tab: '\t', pipe: '|' }

// Between chunks the portal answers its users.
const peoplePerChunk = 250

/** The file's bytes, made while they are read. */
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

/** What a person adds to the file: nothing, a row, or a row and a broken one. */
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

/** What goes wrong when a file is edited by hand: the end of a row is lost, or a cell more has slipped in. */
function broken(cells: readonly string[], index: number): string[] {
  return index % 2 === 0 ? cells.slice(0, 9) : cells.toSpliced(3, 0, 'see note')
}

/** The same person some time later. One in six has not changed. */
function changed(person: Person, { seed, segments, asOf }: Population): Person {
  const random = seeded(`${seed} ${person.index} later`)
  if (random.chance(1 / 6)) return person
  const before = segments.find(({ name }) => name === person.segment)
  const segment = random.chance(0.3) ? segments.find(({ name }) => name === before?.next) : before
  if (!segment) return person
  const standing = makeStanding(random, segment, asOf)
  return {
    ...person,
    ...standing,
    // What was spent stays spent.
    value: person.value === null ? standing.value : Math.round((person.value + random.next() * 240) * 100) / 100,
    jobTitle: random.chance(0.12) ? 'Director' : person.jobTitle,
  }
}
