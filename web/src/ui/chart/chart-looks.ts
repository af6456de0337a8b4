import { palettes } from './palettes.ts'

/** Colours and fonts of charts, to match the page around them. */
export type ChartLooks = {
  scheme: 'light' | 'dark'
  text: string
  dimmed: string
  line: string
  surface: string
  /** Regions of maps and slices that stand for nothing in particular. */
  land: string
  colors: readonly string[]
  font: string
}

/** As the page's own styles say at the moment. */
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
