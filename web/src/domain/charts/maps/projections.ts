import type { Position } from './clip.ts'

/** Turns degrees into places on a flat map, whose second number grows downwards. */
export type Projection = { project: (point: Position) => Position; unproject: (point: Position) => Position }

const radians = Math.PI / 180

/** Maps are not moved with the mouse, so that nothing needs the way back. */
const unproject = (point: Position): Position => point

/** Whole earth, a compromise between areas and shapes (Natural Earth, by its polynomial). */
export const naturalEarth: Projection = {
  project: ([east, north]) => {
    const [lambda, phi] = [east * radians, north * radians]
    const [phi2, phi4] = [phi ** 2, phi ** 4]
    const x = lambda * (0.8707 - 0.131979 * phi2 + phi4 * (-0.013791 + phi4 * (0.003971 * phi2 - 0.001529 * phi4)))
    const y = phi * (1.007226 + phi2 * (0.015085 + phi4 * (-0.044475 + 0.028874 * phi2 - 0.005916 * phi4)))
    return [x / radians, -y / radians]
  },
  unproject,
}

/** Near the poles the projection would have no end. */
const farthestNorth = 84

/** Continents and countries, with their usual shapes (Mercator). */
export const mercator: Projection = {
  project: ([east, north]) => {
    const phi = Math.max(-farthestNorth, Math.min(farthestNorth, north)) * radians
    return [east, -Math.log(Math.tan(Math.PI / 4 + phi / 2)) / radians]
  },
  unproject,
}

/** Shapes that are flat already. */
export const flat: Projection = { project: (point) => point, unproject }

type Conic = { parallels: Position; turn: number; center: Position; scale: number; at: Position }

/** An equal-area projection on a cone (Albers), as the atlas of the USA is drawn. */
function conic({ parallels, turn, center, scale, at }: Conic): (point: Position) => Position {
  const sines = [Math.sin(parallels[0] * radians), Math.sin(parallels[1] * radians)] as const
  const n = (sines[0] + sines[1]) / 2
  const c = 1 + sines[0] * (2 * n - sines[0])
  const r0 = Math.sqrt(c) / n
  const raw = ([east, north]: Position): Position => {
    const r = Math.sqrt(c - 2 * n * Math.sin(north * radians)) / n
    const angle = east * radians * n
    return [r * Math.sin(angle), r0 - r * Math.cos(angle)]
  }
  const [centerX, centerY] = raw(center)
  return ([east, north]) => {
    // Beyond the antimeridian Alaska goes on.
    const turned = (((east + turn + 180) % 360) + 360) % 360
    const [x, y] = raw([turned - 180, north])
    return [at[0] + scale * (x - centerX), at[1] - scale * (y - centerY)]
  }
}

const scale = 1300
const states = conic({ parallels: [29.5, 45.5], turn: 96, center: [-0.6, 38.7], scale, at: [487.5, 305] })
const alaska = conic({
  parallels: [55, 65],
  turn: 154,
  center: [-2, 58.5],
  scale: scale * 0.35,
  at: [487.5 - 0.307 * scale, 305 + 0.201 * scale],
})
const hawaii = conic({
  parallels: [8, 18],
  turn: 157,
  center: [-3, 19.9],
  scale,
  at: [487.5 - 0.205 * scale, 305 + 0.212 * scale],
})

/** Where a place is on the map of the states of the USA, on which Alaska and Hawaii are in a corner. */
export function onStatesMap([east, north]: Position): Position {
  if (north > 50 && (east < -129 || east > 170)) return alaska([east, north])
  return north < 25 && east < -150 ? hawaii([east, north]) : states([east, north])
}
