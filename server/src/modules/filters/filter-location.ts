import { sql } from 'kysely'
import {
  type FilterField,
  invalidFilter,
  isObject,
  type SpecialField,
  type Sql,
  unknownOperator,
} from './filter-field.ts'

/**
 * `location: {$geoWithin: {$centerSphere: [[longitude, latitude], radius]}}`, the radius in radians (miles / 3963.2).
 */
export function locationField(latitude: Sql, longitude: Sql): SpecialField {
  return {
    name: 'location',
    of: [latitude, longitude],
    values: [numberField('latitude', latitude), numberField('longitude', longitude)],
    compile(operator, argument, _compilation, of) {
      if (operator !== '$geoWithin') throw unknownOperator(operator)
      const circle = readCircle(argument)
      const [lat = latitude, lon = longitude] = of
      const box = boxAround(circle)
      return sql`(${inBox(lat, lon, box)} AND ${distance(lat, lon, circle)} <= ${circle.radius}::float8)`
    },
  }
}

const numberField = (name: string, value: Sql): FilterField => ({ name, type: 'number', sql: value, ordered: value })

type Circle = { latitude: number; longitude: number; radius: number }

function readCircle(argument: unknown): Circle {
  const needed = '"$geoWithin" needs {"$centerSphere": [[longitude, latitude], miles / 3963.2]}.'
  if (!isObject(argument)) throw invalidFilter(needed)
  const [shape, ...more] = Object.entries(argument)
  if (!shape || more.length > 0) throw invalidFilter(needed)
  if (shape[0] !== '$centerSphere') throw unknownOperator(shape[0])
  const [center, radius, ...rest] = Array.isArray(shape[1]) ? (shape[1] as unknown[]) : []
  const [longitude, latitude, ...others] = Array.isArray(center) ? (center as unknown[]) : []
  if (rest.length > 0 || others.length > 0 || !isNumber(longitude) || !isNumber(latitude) || !isNumber(radius)) {
    throw invalidFilter(needed)
  }
  if (Math.abs(latitude) > 90) throw invalidFilter('Latitude: Value should be between -90 and 90!')
  if (Math.abs(longitude) > 180) throw invalidFilter('Longitude: Value should be between -180 and 180!')
  if (radius < 0) throw invalidFilter('The radius of "$centerSphere" cannot be less than 0.')
  return { latitude, longitude, radius }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** In degrees. `west` is greater than `east` if the box crosses the 180th meridian; null: all around a pole. */
type Box = { south: number; north: number; west: number | null; east: number | null }

// Slightly larger than the circle, to allow for rounding in trigonometric functions.
const margin = 1e-9

function boxAround({ latitude, longitude, radius }: Circle): Box {
  const degrees = (radians: number) => (radians * 180) / Math.PI
  const south = latitude - degrees(radius) - margin
  const north = latitude + degrees(radius) + margin
  if (south <= -90 || north >= 90) return { south, north, west: null, east: null }
  const width = degrees(Math.asin(Math.min(1, Math.sin(radius) / Math.cos((latitude * Math.PI) / 180)))) + margin
  const around = (value: number) => (value < -180 ? value + 360 : value > 180 ? value - 360 : value)
  return { south, north, west: around(longitude - width), east: around(longitude + width) }
}

/** Condition for the box around the circle, which can use an index. */
function inBox(latitude: Sql, longitude: Sql, { south, north, west, east }: Box): Sql {
  const across = sql`${latitude} >= ${south}::float8 AND ${latitude} <= ${north}::float8`
  if (west === null || east === null) return across
  const [least, most] = [sql`${longitude} >= ${west}::float8`, sql`${longitude} <= ${east}::float8`]
  return west <= east ? sql`${across} AND ${least} AND ${most}` : sql`${across} AND (${least} OR ${most})`
}

/** The angle between two places in radians, by the haversine formula, which is exact for small distances too. */
function distance(latitude: Sql, longitude: Sql, center: Circle): Sql {
  const half = (value: Sql, from: number) => sql`power(sin(radians(${value} - ${from}::float8) / 2), 2)`
  return sql`2 * asin(least(1, sqrt(${half(latitude, center.latitude)} + cos(radians(${center.latitude}::float8))
    * cos(radians(${latitude})) * ${half(longitude, center.longitude)})))`
}
