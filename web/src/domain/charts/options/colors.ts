/** Red, green and blue from 0 to 255; null for a name of a colour. */
function channels(color: string): [number, number, number] | null {
  const digits = /^#([0-9a-f]{3,8})$/i.exec(color)?.[1]
  if (!digits) return null
  const long = digits.length < 6 ? digits.replaceAll(/./g, '$&$&') : digits
  const [red, green, blue] = (long.match(/../g) ?? []).map((part) => Number.parseInt(part, 16))
  return red === undefined || green === undefined || blue === undefined ? null : [red, green, blue]
}

/** Relative luminance from 0 to 1 (WCAG). */
function luminance([red, green, blue]: [number, number, number]): number {
  const linear = (value: number): number => (value <= 10.31 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4)
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/** Whether white text is easier to read on a colour than black; null for a name of a colour. */
export function isDark(color: string): boolean | null {
  const parts = channels(color)
  return parts && luminance(parts) < 0.179
}

/** The colour of a text on a colour. */
export const textOn = (color: string): string => (isDark(color) === false ? '#141b29' : '#ffffff')

/** A colour between two, as `#rrggbb`. `share` 0 is the first one. Names of colours are not mixed. */
export function mix(one: string, other: string, share: number): string {
  const [from, to] = [channels(one), channels(other)]
  if (!from || !to) return share < 0.5 ? one : other
  const parts = from.map((value, at) => Math.round(value + ((to[at] ?? 0) - value) * share))
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}
