/** Colors of chart series, for light and dark pages. The nth of one list corresponds to the nth of the other. */
export type Palette = { name: string; light: readonly string[]; dark: readonly string[] }

/**
 * Adjacent colors differ for color-blind people too, mostly by their lightness; the test simulates how they see them.
 * The first palette is the default.
 */
export const palettes = [
  {
    name: 'Portico',
    light: ['#3560c4', '#2fb5a0', '#f2a33a', '#a14754', '#553e7d', '#5a8cc3', '#5a6b00', '#f56a78'],
    dark: ['#5b82e3', '#46c7b2', '#fbcd86', '#ae5668', '#7362a1', '#a6e1ff', '#798f03', '#f67a8c'],
  },
  {
    name: 'Harbour',
    light: ['#2a439d', '#78c6e7', '#005a51', '#94bea2', '#007291', '#949ffe', '#654a00', '#1494c3'],
    dark: ['#5467c5', '#74edf5', '#007860', '#9bdc94', '#518e9b', '#adb8fe', '#9a7c3a', '#71afc0'],
  },
  {
    name: 'Meadow',
    light: ['#00644a', '#d5ba08', '#058370', '#c18a2a', '#4c5218', '#08a7a1', '#a16400', '#48c5fa'],
    dark: ['#0d7b56', '#d0b138', '#5a947e', '#e4d8a2', '#7c9048', '#26ccc3', '#9d5c00', '#afdfff'],
  },
  {
    name: 'Ember',
    light: ['#c14300', '#f4ac6a', '#a74c7d', '#a29808', '#851c53', '#bd7b5f', '#5d3295', '#3099f6'],
    dark: ['#e6573c', '#fecbaf', '#ba415c', '#bdb701', '#9c4f94', '#dc9d78', '#9861d8', '#a0d1ff'],
  },
  {
    name: 'Dusk',
    light: ['#564671', '#e18ae7', '#2e57bd', '#ca716f', '#7971aa', '#00d3bd', '#a83157', '#f09e56'],
    dark: ['#8e7af3', '#e5cbff', '#006dbb', '#ffc8c4', '#836086', '#68bfc7', '#9d5864', '#edaa49'],
  },
  {
    name: 'Clear',
    light: ['#3f4fd3', '#d47912', '#02623f', '#c179ba', '#685b00', '#ffa288', '#097e8a', '#c9aff4'],
    dark: ['#0b73e7', '#e9ab0b', '#62a98f', '#ed88fc', '#8e7e02', '#ffc9b9', '#007683', '#dbd0fe'],
  },
  {
    name: 'Slate',
    light: ['#3d5a79', '#a2bed4', '#667485', '#cbbb8f', '#8f6b50', '#69a4a2', '#6b4d4d', '#869e83'],
    dark: ['#616c79', '#b1d6f7', '#7084a4', '#edd3b6', '#a17f60', '#80aeb4', '#7d665f', '#a6b5a8'],
  },
] as const satisfies readonly Palette[]

const textOf = (colors: readonly string[]): string => colors.join(' ').toLowerCase()

/** The palette with exactly these colors, light or dark; null for custom colors. */
export function paletteOf(colors: readonly string[]): Palette | null {
  const wanted = textOf(colors)
  return palettes.find(({ light, dark }) => textOf(light) === wanted || textOf(dark) === wanted) ?? null
}

/** Colors as drawn in a color scheme: a palette in its variant for the scheme, all others unchanged. */
export const colorsIn = (colors: readonly string[], scheme: 'light' | 'dark'): readonly string[] =>
  paletteOf(colors)?.[scheme] ?? colors
