import type { Feature, FeatureCollection, MultiPolygon } from 'geojson'
import type { GeometryCollection, Topology } from 'topojson-specification'
import { feature } from 'topojson-client'
import type { ChartMap } from '#ui/chart/chart-map.ts'
import { type Box, clipShapes, homeOf, middleOf, type Position, type Shape } from './clip.ts'
import { codeOfShape, codesIn, placesOfSmall } from './country-codes.ts'
import { flat, mercator, naturalEarth, onStatesMap, type Projection } from './projections.ts'
import { stateOfFips } from './us-states.ts'

/** A map with all that is needed to draw on it. */
export type LoadedMap = ChartMap & {
  projection: Projection
  /** Middle of each region, by its code, as the map has places. */
  middles: ReadonlyMap<string, Position>
  /** The place of degrees east and north on the map. */
  placeOf: (point: Position) => Position
}

type Atlas = Topology<Record<string, GeometryCollection<{ name: string }>>>

const loaded = new Map<string, Promise<LoadedMap>>()

/** The map of a plan, with the data that it needs. They are loaded once. */
export function loadMap(name: string): Promise<LoadedMap> {
  const known = loaded.get(name)
  if (known) return known
  const map = makeMap(name)
  loaded.set(name, map)
  // Another try may have more luck.
  map.catch(() => loaded.delete(name))
  return map
}

async function makeMap(name: string): Promise<LoadedMap> {
  const [kind, code = ''] = name.split(':')
  if (kind === 'us-states' || kind === 's') {
    const all = await states()
    const shown = kind === 's' ? new Map([...all].filter(([state]) => state === code)) : all
    return mapOf(name, shown, flat, kind === 's' ? flat.project : onStatesMap)
  }
  if (kind === 'world') {
    const all = await coarseCountries()
    const small = [...placesOfSmall.keys()].filter((each) => !all.has(each))
    return mapOf(name, withDots(clipped(all, worldBox), small, 360 / dotsAcross.world), naturalEarth)
  }
  const all = await fineCountries()
  if (kind === 'c') return mapOf(name, new Map([[code, homeOf(all.get(code) ?? [])]]), mercator)
  const codes = new Set(codesIn(code) ?? [])
  const inRegion = new Map([...all].filter(([each]) => codes.has(each)))
  const box = boxes[code] ?? worldBox
  return mapOf(name, clipped(withDots(inRegion, [...codes], (box[2] - box[0]) / dotsAcross.part), box), mercator)
}

type Regions = ReadonlyMap<string, Shape[]>

/** Reads an atlas when it is first needed, and again only after a failure. */
function once(read: () => Promise<Regions>): () => Promise<Regions> {
  let known: Promise<Regions> | null = null
  return () => {
    known ??= read().catch((error: unknown) => {
      known = null
      throw error
    })
    return known
  }
}

const states = once(async () => {
  const { default: atlas } = await import('us-atlas/states-albers-10m.json')
  return regionsOf(atlas as unknown as Atlas, 'states', stateOfFips)
})

const coarseCountries = once(async () => {
  const { default: atlas } = await import('world-atlas/countries-110m.json')
  return regionsOf(atlas as unknown as Atlas, 'countries', codeOfShape)
})

const fineCountries = once(async () => {
  const { default: atlas } = await import('world-atlas/countries-50m.json')
  return regionsOf(atlas as unknown as Atlas, 'countries', codeOfShape)
})

/** Without Antarctica. */
const worldBox: Box = [-180, -58, 180, 84]

/** The part of the world that continents and sub-regions show: countries reach far beyond some of them. */
const boxes: Record<string, Box> = {
  '002': [-26, -36, 60, 38],
  '003': [-170, 6, -15, 84],
  '005': [-92, -56, -33, 14],
  '009': [110, -50, 240, 24],
  '011': [-26, 2, 18, 30],
  '013': [-118, 6, -77, 33],
  '014': [20, -28, 60, 20],
  '015': [-18, 8, 38, 38],
  '017': [0, -19, 32, 25],
  '018': [11, -36, 34, -16],
  '019': [-170, -56, -15, 84],
  '021': [-170, 24, -15, 84],
  '029': [-86, 9, -58, 28],
  '030': [73, 15, 147, 54],
  '034': [43, -1, 98, 40],
  '035': [92, -12, 142, 29],
  '039': [-19, 34, 30, 48],
  '053': [112, -48, 180, -9],
  '054': [140, -24, 184, 1],
  '057': [130, -5, 178, 22],
  '061': [179, -30, 232, 0],
  '142': [25, -12, 147, 56],
  '143': [46, 35, 88, 56],
  '145': [25, 11, 60, 44],
  '150': [-25, 34, 60, 72],
  '151': [12, 41, 60, 70],
  '154': [-25, 49, 33, 72],
  '155': [-6, 41, 18, 56],
  '202': [-26, -36, 60, 28],
  '419': [-118, -56, -33, 33],
}

/** The shapes of each region. Shapes without a code stay, under a name that no value has. */
function regionsOf(
  atlas: Atlas,
  object: string,
  codeOf: (id: string | undefined, name: string) => string | null,
): Map<string, Shape[]> {
  const geometries = atlas.objects[object]
  const regions = new Map<string, Shape[]>()
  if (!geometries) return regions
  for (const { id, properties, geometry } of feature(atlas, geometries).features) {
    const code = codeOf(id === undefined ? undefined : String(id), properties.name) ?? `?${properties.name}`
    const shapes =
      geometry.type === 'Polygon'
        ? [geometry.coordinates as Shape]
        : geometry.type === 'MultiPolygon'
          ? (geometry.coordinates as Shape[])
          : []
    regions.set(code, [...(regions.get(code) ?? []), ...shapes])
  }
  return regions
}

const clipped = (regions: Regions, box: Box): Map<string, Shape[]> =>
  new Map(
    [...regions]
      .map(([code, shapes]): [string, Shape[]] => [code, clipShapes(shapes, box)])
      .filter(([, shapes]) => shapes.length > 0),
  )

/** Radii of a dot across the map of the world, and across that of a part of it. */
const dotsAcross = { world: 260, part: 110 }
const dotCorners = 12

/** Countries too small to be seen are dots beside their shapes, so that their values can be. `radius`: in degrees. */
function withDots(regions: Regions, codes: readonly string[], radius: number): Map<string, Shape[]> {
  const dotted = new Map(regions)
  for (const code of codes) {
    const place = placesOfSmall.get(code)
    if (!place) continue
    const ring = Array.from({ length: dotCorners + 1 }, (_, at): Position => {
      const angle = (2 * Math.PI * (at % dotCorners)) / dotCorners
      return [place[0] + radius * Math.cos(angle), place[1] + radius * Math.sin(angle)]
    })
    dotted.set(code, [...(dotted.get(code) ?? []), [ring]])
  }
  return dotted
}

function mapOf(
  name: string,
  regions: Regions,
  projection: Projection,
  placeOf: (point: Position) => Position = (point) => point,
): LoadedMap {
  const features = [...regions].map(([code, shapes]): Feature<MultiPolygon> => ({
    type: 'Feature',
    properties: { name: code },
    geometry: { type: 'MultiPolygon', coordinates: shapes },
  }))
  const shapes: FeatureCollection = { type: 'FeatureCollection', features }
  const middles = new Map(
    [...regions].flatMap(([code, ofRegion]): [string, Position][] => {
      const middle = middleOf(ofRegion)
      return middle ? [[code, middle]] : []
    }),
  )
  return { name, shapes, projection, middles, placeOf }
}
