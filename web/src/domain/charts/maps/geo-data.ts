import type { Grouping } from '@portico/domain/pipeline/grouping'
import type { Row } from '@portico/domain/pipeline/pipeline'
import { formatCount } from '#lib/formats.ts'
import { keyText } from '../key-text.ts'
import { drawnNames, keysOf, toNumber } from '../options/chart-data.ts'
import type { Keys } from '../options/chart-input.ts'
import type { Position } from './clip.ts'
import type { MapPlan } from './map-plan.ts'
import { regionName } from './region-names.ts'

/** A region or place with its value. `code`: of the region; null for a place in degrees. */
export type GeoValue = {
  code: string | null
  name: string
  /** Degrees east and north, of places. */
  position: Position | null
  value: number | null
  keys: Keys
}

export type GeoData = { values: GeoValue[]; arePlaces: boolean; notes: string[] }

const latitude = /^(?:lat|latitude)$/i
const longitude = /^(?:lon|lng|long|longitude)$/i

/** The rows as regions of a map; as places where the keys are degrees. */
export function geoDataOf(grouping: Grouping, rows: readonly Row[], { codeOf, isShown, note }: MapPlan): GeoData {
  const north = grouping.keys.findIndex(({ field }) => latitude.test(field))
  const east = grouping.keys.findIndex(({ field }) => longitude.test(field))
  if (north !== -1 && east !== -1)
    return { values: placesOf(grouping, rows, [east, north]), arePlaces: true, notes: [] }
  const [key] = grouping.keys
  const [value = ''] = grouping.values
  const canSum = grouping.sums.includes(value)
  const regions = new Map<string, GeoValue>()
  const unknown = new Set<string>()
  let outside = 0
  let hasLargest = false
  for (const row of key ? rows : []) {
    const text = key ? keyText(row[key.name], key) : ''
    const code = codeOf(text)
    if (code === null) {
      unknown.add(text)
      continue
    }
    if (!isShown(code)) {
      outside++
      continue
    }
    const number = toNumber(row[value])
    const known = regions.get(code)
    const keys = keysOf(grouping, row)
    if (!known) regions.set(code, { code, name: regionName(code), position: null, value: number, keys: [keys] })
    else {
      hasLargest ||= !canSum
      known.keys.push(keys)
      known.value = joined(known.value, number, canSum)
    }
  }
  const notes = [
    note,
    unknownNote(unknown),
    outside > 0 ? `${formatCount(outside, 'group')} outside this map.` : null,
    hasLargest ? `Where several groups are in one region, the largest ${value} is shown.` : null,
  ]
  return { values: [...regions.values()], arePlaces: false, notes: notes.filter((text) => text !== null) }
}

function joined(one: number | null, other: number | null, canSum: boolean): number | null {
  if (one === null || other === null) return one ?? other
  return canSum ? one + other : Math.max(one, other)
}

const mostNamed = 3

function unknownNote(unknown: ReadonlySet<string>): string | null {
  if (unknown.size === 0) return null
  const named = [...unknown].slice(0, mostNamed).join(', ')
  return `No known region: ${named}${unknown.size > mostNamed ? ` and ${unknown.size - mostNamed} more` : ''}.`
}

function placesOf(grouping: Grouping, rows: readonly Row[], [east, north]: [number, number]): GeoValue[] {
  const [value = ''] = grouping.values
  return rows.flatMap((row): GeoValue[] => {
    const keys = keysOf(grouping, row)
    const [x, y] = [keys[east], keys[north]].map((each) => (each === null || each === '' ? Number.NaN : Number(each)))
    if (x === undefined || y === undefined || Number.isNaN(x) || Number.isNaN(y)) return []
    const others = grouping.keys.filter((_, at) => at !== east && at !== north)
    const [name = ''] = drawnNames([others.map((key) => keyText(row[key.name], key)).join(' · ') || `${y}°, ${x}°`])
    return [{ code: null, name, position: [x, y], value: toNumber(row[value]), keys: [keys] }]
  })
}
