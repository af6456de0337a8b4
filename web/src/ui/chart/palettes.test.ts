import { describe, expect, test } from 'vitest'
import { colorsIn, paletteOf, palettes } from './palettes.ts'

type Triple = readonly [number, number, number]

/** How a color looks with one kind of cones missing (Machado, Oliveira and Fernandes 2009), in linear RGB. */
const sights: Record<string, readonly Triple[]> = {
  'all colours': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

const dot = ([a, b, c]: Triple, [x, y, z]: Triple): number => a * x + b * y + c * z

function linear(color: string): Triple {
  const part = (at: number): number => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  }
  return [part(1), part(3), part(5)]
}

function lab(rgb: Triple): Triple {
  const f = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116)
  const x = f(dot([0.4124564, 0.3575761, 0.1804375], rgb) / 0.95047)
  const y = f(dot([0.2126729, 0.7151522, 0.072175], rgb))
  const z = f(dot([0.0193339, 0.119192, 0.9503041], rgb) / 1.08883)
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

const seen = (color: string, rows: readonly Triple[]): Triple => {
  const rgb = linear(color)
  const part = (at: number): number => Math.min(1, Math.max(0, dot(rows[at] ?? [0, 0, 0], rgb)))
  return lab([part(0), part(1), part(2)])
}

const radians = (degrees: number): number => (degrees * Math.PI) / 180
const degreesOf = (y: number, x: number): number => (Math.atan2(y, x) * 180) / Math.PI + (y < 0 ? 360 : 0)

/** CIEDE2000 */
function difference([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2
  const g = 1 + 0.5 * (1 - Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)))
  const [c1, c2] = [Math.hypot(g * a1, b1), Math.hypot(g * a2, b2)]
  const [h1, h2] = [degreesOf(b1, g * a1), degreesOf(b2, g * a2)]
  const turn = h2 - h1 > 180 ? h2 - h1 - 360 : h2 - h1 < -180 ? h2 - h1 + 360 : h2 - h1
  const hue = 2 * Math.sqrt(c1 * c2) * Math.sin(radians(turn / 2))
  const [l, c] = [(l1 + l2) / 2, (c1 + c2) / 2]
  const h = Math.abs(h1 - h2) <= 180 ? (h1 + h2) / 2 : (h1 + h2 + (h1 + h2 < 360 ? 360 : -360)) / 2
  const t =
    1 -
    0.17 * Math.cos(radians(h - 30)) +
    0.24 * Math.cos(radians(2 * h)) +
    0.32 * Math.cos(radians(3 * h + 6)) -
    0.2 * Math.cos(radians(4 * h - 63))
  const [sl, sc, sh] = [1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2), 1 + 0.045 * c, 1 + 0.015 * c * t]
  const rt = -2 * Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * Math.sin(radians(60 * Math.exp(-(((h - 275) / 25) ** 2))))
  const [dl, dc, dh] = [(l2 - l1) / sl, (c2 - c1) / sc, hue / sh]
  return Math.sqrt(dl ** 2 + dc ** 2 + dh ** 2 + rt * dc * dh)
}

const brightness = (color: string): number => dot([0.2126, 0.7152, 0.0722], linear(color))

function contrast(one: string, other: string): number {
  const [dark = 0, bright = 0] = [brightness(one), brightness(other)].toSorted((a, b) => a - b)
  return (bright + 0.05) / (dark + 0.05)
}

test('the measure of color differences matches published pairs', () => {
  // Values from Sharma, Wu and Dalal 2005.
  expect(difference([50, 2.6772, -79.7751], [50, 0, -82.7485])).toBeCloseTo(2.0425, 3)
  expect(difference([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387])).toBeCloseTo(1.2644, 3)
  expect(difference([22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619])).toBeCloseTo(2.0373, 3)
})

test('there are seven palettes with unique names', () => {
  expect(palettes).toHaveLength(7)
  expect(new Set(palettes.map(({ name }) => name)).size).toBe(7)
  for (const { light, dark } of palettes) expect(dark).toHaveLength(light.length)
})

const variants = palettes.flatMap(({ name, light, dark }) => [
  { name, scheme: 'light', colors: light, surface: '#ffffff', leastContrast: 1.85 },
  { name, scheme: 'dark', colors: dark, surface: '#1b212c', leastContrast: 2.9 },
])

describe.each(variants)('$name, $scheme', ({ colors, surface, leastContrast }) => {
  test.each(Object.entries(sights))('colors are distinguishable with %s', (_, rows) => {
    const labs = colors.map((color) => seen(color, rows))
    const differences = labs.flatMap((one, at) =>
      labs.slice(at + 1).map((other, step) => ({
        areNeighbours: step === 0 || step === labs.length - 2,
        value: difference(one, other),
      })),
    )
    const least = (which: typeof differences): number => Math.min(...which.map(({ value }) => value))
    expect(least(differences.filter(({ areNeighbours }) => areNeighbours))).toBeGreaterThan(13)
    expect(least(differences)).toBeGreaterThan(9)
  })

  test('colors contrast with the page', () => {
    expect(Math.min(...colors.map((color) => contrast(color, surface)))).toBeGreaterThan(leastContrast)
  })
})

test('a stored palette is drawn in the variant of the page; custom colors stay', () => {
  const [, { light, dark }] = palettes
  expect(colorsIn(light, 'dark')).toBe(dark)
  expect(
    colorsIn(
      light.map((color) => color.toUpperCase()),
      'dark',
    ),
  ).toBe(dark)
  expect(colorsIn(dark, 'light')).toBe(light)
  expect(colorsIn(['#123456', 'teal'], 'dark')).toEqual(['#123456', 'teal'])
  expect(paletteOf(light.slice(0, 3))).toBeNull()
})
