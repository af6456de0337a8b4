/** Degrees east and north. */
export type Position = [number, number]
export type Ring = Position[]
/** An outer ring and its holes. */
export type Shape = Ring[]

/** West, south, east and north. East may be beyond 180. */
export type Box = readonly [number, number, number, number]

/** A ring without jumps between the two sides of the antimeridian: its longitudes may leave the range of ±180. */
export function unwrap(ring: Ring): Ring {
  let shift = 0
  return ring.map(([east, north], at) => {
    const before = ring[at - 1]
    if (before && east - before[0] > 180) shift -= 360
    if (before && before[0] - east > 180) shift += 360
    return [east + shift, north]
  })
}

type Side = { isInside: (at: Position) => boolean; crossing: (from: Position, to: Position) => Position }

const sidesOf = ([west, south, east, north]: Box): Side[] => [
  { isInside: ([x]) => x >= west, crossing: (a, b) => atEast(a, b, west) },
  { isInside: ([x]) => x <= east, crossing: (a, b) => atEast(a, b, east) },
  { isInside: ([, y]) => y >= south, crossing: (a, b) => atNorth(a, b, south) },
  { isInside: ([, y]) => y <= north, crossing: (a, b) => atNorth(a, b, north) },
]

const atEast = ([x1, y1]: Position, [x2, y2]: Position, x: number): Position => [
  x,
  y1 + ((y2 - y1) * (x - x1)) / (x2 - x1),
]
const atNorth = ([x1, y1]: Position, [x2, y2]: Position, y: number): Position => [
  x1 + ((x2 - x1) * (y - y1)) / (y2 - y1),
  y,
]

/** The part of a ring within a box (Sutherland and Hodgman); empty outside of it. */
function clipRing(ring: Ring, box: Box): Ring {
  let clipped = ring.slice(0, -1)
  for (const { isInside, crossing } of sidesOf(box)) {
    const corners = clipped
    clipped = corners.flatMap((to, at) => {
      const from = corners.at(at - 1) ?? to
      if (isInside(to)) return isInside(from) ? [to] : [crossing(from, to), to]
      return isInside(from) ? [crossing(from, to)] : []
    })
  }
  const [first] = clipped
  return first && clipped.length > 2 ? [...clipped, first] : []
}

/** The parts of shapes within a box, wherever on the round earth they were given. */
export function clipShapes(shapes: readonly Shape[], box: Box): Shape[] {
  return shapes.flatMap((shape) => {
    const rings = shape.map(unwrap)
    return [-360, 0, 360].flatMap((shift) => {
      const [outer, ...holes] = rings.map((ring) =>
        clipRing(
          ring.map(([east, north]): Position => [east + shift, north]),
          box,
        ),
      )
      return outer && outer.length > 0 ? [[outer, ...holes.filter((hole) => hole.length > 0)]] : []
    })
  })
}

/** Area within a ring, negative where it runs clockwise. */
function areaOf(ring: Ring): number {
  return ring.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = ring[at + 1] ?? [x, y]
    return sum + (x * nextY - nextX * y) / 2
  }, 0)
}

/** The largest of shapes: the mainland. */
const largestOf = (shapes: readonly Shape[]): Shape | undefined =>
  shapes.toSorted((one, other) => Math.abs(areaOf(other[0] ?? [])) - Math.abs(areaOf(one[0] ?? [])))[0]

/** Middle of the largest of shapes. */
export function middleOf(shapes: readonly Shape[]): Position | null {
  const ring = largestOf(shapes)?.[0]
  const [first] = ring ?? []
  if (!ring || !first) return null
  const area = areaOf(ring)
  if (Math.abs(area) < 1e-9) return first
  const sums = ring.reduce<Position>(
    ([sumX, sumY], [x, y], at) => {
      const [nextX, nextY] = ring[at + 1] ?? [x, y]
      const cross = x * nextY - nextX * y
      return [sumX + (x + nextX) * cross, sumY + (y + nextY) * cross]
    },
    [0, 0],
  )
  return [sums[0] / (6 * area), sums[1] / (6 * area)]
}

export function boxOf(ring: Ring): Box {
  const [easts, norths] = [ring.map(([x]) => x), ring.map(([, y]) => y)]
  return [Math.min(...easts), Math.min(...norths), Math.max(...easts), Math.max(...norths)]
}

/** Degrees between a country and those of its islands that are drawn with it, at least. */
const leastGap = 2.5
const gapShare = 0.24

/** The mainland and all that is near it, so that a country fills its map. Shapes on the other side of ±180 are moved. */
export function homeOf(shapes: readonly Shape[]): Shape[] {
  const whole = shapes.map((shape) => shape.map(unwrap))
  const main = largestOf(whole)
  if (!main?.[0]) return []
  let box = boxOf(main[0])
  const kept = [main]
  let rest = whole.filter((shape) => shape !== main)
  for (;;) {
    const near = rest.flatMap((shape) => {
      const moved = [0, -360, 360]
        .map((shift) => shape.map((ring) => ring.map(([x, y]): Position => [x + shift, y])))
        .find((each) => isNear(box, boxOf(each[0] ?? [])))
      return moved ? [{ shape, moved }] : []
    })
    if (near.length === 0) return kept
    for (const { moved } of near) {
      kept.push(moved)
      box = around(box, boxOf(moved[0] ?? []))
    }
    rest = rest.filter((shape) => !near.some((one) => one.shape === shape))
  }
}

function isNear([west, south, east, north]: Box, [w, s, e, n]: Box): boolean {
  const [gapX, gapY] = [Math.max(w - east, west - e, 0), Math.max(s - north, south - n, 0)]
  const [mostX, mostY] = [(east - west) * gapShare, (north - south) * gapShare]
  return gapX <= Math.max(mostX, leastGap) && gapY <= Math.max(mostY, leastGap)
}

const around = ([w1, s1, e1, n1]: Box, [w2, s2, e2, n2]: Box): Box => [
  Math.min(w1, w2),
  Math.min(s1, s2),
  Math.max(e1, e2),
  Math.max(n1, n2),
]
