/** Colours and fonts of charts, to match the page around them. */
export type ChartLooks = { text: string; dimmed: string; line: string; surface: string; colors: string[]; font: string }

const light = ['#3560c4', '#2fb5a0', '#f2a33a', '#e0607e', '#7b5fd0', '#3f9fd8', '#8a97ab']
const dark = ['#6f91e7', '#46c7b2', '#f5b65e', '#ec8099', '#a18be8', '#69b8e8', '#9aa7ba']

/** As the page's own styles say at the moment. */
export function chartLooks(place: HTMLElement, scheme: 'light' | 'dark'): ChartLooks {
  const styles = getComputedStyle(place)
  const variable = (name: string): string => styles.getPropertyValue(name).trim()
  return {
    text: variable('--mantine-color-text'),
    dimmed: variable('--mantine-color-dimmed'),
    line: variable('--ui-border'),
    surface: variable('--ui-surface'),
    colors: scheme === 'dark' ? dark : light,
    font: styles.fontFamily,
  }
}
