import type { Feature, MultiPolygon } from 'geojson'
import { expect, test } from 'vitest'
import { boxOf, clipShapes, homeOf, middleOf, type Ring, unwrap } from './clip.ts'
import { countries, placesOfSmall } from './country-codes.ts'
import { type LoadedMap, loadMap } from './load-map.ts'
import { onStatesMap } from './projections.ts'

const square = (west: number, south: number, size: number): Ring => [
  [west, south],
  [west + size, south],
  [west + size, south + size],
  [west, south + size],
  [west, south],
]

const codesOf = ({ shapes }: LoadedMap): string[] =>
  shapes.features.map(({ properties }) => String(properties?.['name'])).filter((name) => !name.startsWith('?'))

const ringsOf = ({ geometry }: Feature): Ring => (geometry as MultiPolygon).coordinates.flat(2) as Ring

function boxOfRegion({ shapes }: LoadedMap, code: string) {
  const found = shapes.features.find(({ properties }) => properties?.['name'] === code)
  return boxOf(found ? ringsOf(found) : [])
}

test('shapes across the antimeridian are cut there, and appear on both sides', () => {
  const ring: Ring = [
    [170, 0],
    [-170, 0],
    [-170, 10],
    [170, 10],
    [170, 0],
  ]
  expect(unwrap(ring).map(([east]) => east)).toEqual([170, 190, 190, 170, 170])
  const boxes = clipShapes([[ring]], [-180, -90, 180, 90]).map(([outer = []]) => boxOf(outer))
  expect(boxes).toEqual([
    [-180, 0, -170, 10],
    [170, 0, 180, 10],
  ])
})

test('shapes are clipped at the edges of a box, including their holes', () => {
  const [[outer = [], hole = []] = []] = clipShapes([[square(0, 0, 10), square(4, 4, 4)]], [5, 5, 20, 20])
  expect(boxOf(outer)).toEqual([5, 5, 10, 10])
  expect(boxOf(hole)).toEqual([5, 5, 8, 8])
  expect(clipShapes([[square(0, 0, 2)]], [5, 5, 20, 20])).toEqual([])
})

test('a country keeps the shapes near its mainland', () => {
  const shapes = [[square(0, 0, 10)], [square(11, 0, 1)], [square(60, 0, 3)]]
  expect(homeOf(shapes)).toHaveLength(2)
  expect(middleOf(shapes)).toEqual([5, 5])
})

test('the world map shows every country once, small ones as dots', async () => {
  const world = await loadMap('world')
  const codes = codesOf(world)
  expect(new Set(codes).size).toBe(codes.length)
  expect(countries.map(({ alpha2 }) => alpha2).filter((code) => !codes.includes(code))).toEqual([])
  expect(world.middles.get('SG')?.map(Math.round)).toEqual([104, 1])
  const [west, , east] = boxOfRegion(world, 'RU')
  expect([west, east]).toEqual([-180, 180])
})

test.each(['002', '005', '009', '019', '061', '142', '150', '155'])(
  'the map of the region %s is a part of the world',
  async (code) => {
    const map = await loadMap(`r:${code}`)
    expect(codesOf(map).length).toBeGreaterThan(3)
    const [west, , east] = boxOf(map.shapes.features.flatMap(ringsOf))
    expect(east - west).toBeLessThan(200)
  },
)

test('countries are drawn without their distant territories', async () => {
  const [west, south, east] = boxOfRegion(await loadMap('c:FR'), 'FR')
  expect([west > -6, south > 41, east < 10]).toEqual([true, true, true])
  const russia = boxOfRegion(await loadMap('c:RU'), 'RU')
  expect(russia[0]).toBeGreaterThan(15)
  expect(russia[2]).toBeGreaterThan(180)
  const states = boxOfRegion(await loadMap('c:US'), 'US')
  expect(states[0]).toBeLessThan(-150)
})

test('the map of the USA shows all states, or a single one', async () => {
  const states = await loadMap('us-states')
  expect(codesOf(states)).toHaveLength(51)
  expect(codesOf(await loadMap('s:US-CA'))).toEqual(['US-CA'])
})

test('coordinates match the positions of the states on the map', async () => {
  const { middles } = await loadMap('us-states')
  const near = (code: string, place: [number, number]): number => {
    const [x, y] = middles.get(code) ?? [0, 0]
    const [ownX, ownY] = onStatesMap(place)
    return Math.hypot(x - ownX, y - ownY)
  }
  // In a map 975 wide.
  expect(near('US-KS', [-98.4, 38.5])).toBeLessThan(10)
  expect(near('US-CA', [-119.5, 37.2])).toBeLessThan(15)
  expect(near('US-AK', [-152.5, 64.2])).toBeLessThan(15)
  expect(near('US-HI', [-155.5, 19.6])).toBeLessThan(15)
})

test('small countries have valid coordinates', () => {
  for (const [east, north] of placesOfSmall.values()) {
    expect(Math.abs(east)).toBeLessThanOrEqual(180)
    expect(Math.abs(north)).toBeLessThanOrEqual(90)
  }
})
