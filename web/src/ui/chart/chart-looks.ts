import { palettes } from './palettes.ts'

/** Colors and fonts of charts, matching the page around them. */
export type ChartLooks = {
  scheme: 'light' | 'dark'
  text: string
  dimmed: string
  line: string
  surface: string
  /** Regions of maps, and slices without a meaning of their own. */
  land: string
  colors: readonly string[]
  font: string
}

/** Reads the current styles of the page. */
export function chartLooks(place: HTMLElement, scheme: 'light' | 'dark'): ChartLooks {
  const styles = getComputedStyle(place)
  const variable = (name: string): string => styles.getPropertyValue(name).trim()
  return {
    scheme,
    text: variable('--mantine-color-text'),
    dimmed: variable('--mantine-color-dimmed'),
    line: variable('--ui-border'),
    surface: variable('--ui-surface'),
    land: scheme === 'dark' ? '#333d4d' : '#e3e8f0',
    colors: palettes[0][scheme],
    // The engine writes it into attributes of SVG, between double quotes.
    font: styles.fontFamily.replaceAll('"', "'"),
  }
}
