/** The number formats of a workbook: a date in a cell is a number with a date format. */
import type { Workbook } from './workbook-file.ts'
import { readPart } from './workbook-file.ts'
import { damagedXml } from './xml-scanner.ts'

/**
 * - day, moment: a date without and with a time; time: a time of the day; duration: hours that go beyond 24.
 * - A number: the minimum number of digits shown, if the format has only zeros, such as 00000 for ZIP codes.
 */
export type NumberFormat = 'plain' | 'day' | 'moment' | 'time' | 'duration' | number

/** Formats that have a number but no text in the file. Those of East Asia, 27 to 36 and 50 to 58, are dates too. */
function builtIn(id: number): NumberFormat {
  if (id === 46) return 'duration'
  if (id === 22) return 'moment'
  if ((id >= 18 && id <= 21) || id === 45 || id === 47 || (id >= 32 && id <= 35) || id === 55 || id === 56)
    return 'time'
  if ((id >= 14 && id <= 17) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)) return 'day'
  return 'plain'
}

/** Reads a format's text, such as `[$-409]d-mmm-yy;@`, by the section for positive numbers. */
function readNumberFormat(code: string): NumberFormat {
  const plain = code
    // Without quoted text, and characters that are shown literally, leave a gap or fill one.
    .replaceAll(/"[^"]*"?|[\\_*]./gsu, '')
    .split(';')[0]
  // Some programs write General in the user's language.
  if (plain === undefined || /^\s*(general|standard)\s*$/i.test(plain)) return 'plain'
  // Only brackets around hours, minutes or seconds mean elapsed time; others contain colors, conditions and languages.
  if (/\[(h+|m+|s+)\]/i.test(plain)) return 'duration'
  const signs = plain.replaceAll(/\[[^\]]*\]?/g, '').toLowerCase()
  if (/^\s*0{2,15}\s*$/.test(signs)) return signs.trim().length
  // Digits and exponents are for numbers; dates have none, except for fractions of seconds.
  const hasTime = /[hs]|am\/pm|a\/p/.test(signs)
  if (/[#?%]|e[+-]/.test(signs)) return 'plain'
  const hasDay = /[yd]/.test(signs) || (!hasTime && /m/.test(signs)) || /mmm/.test(signs)
  if (hasDay) return hasTime ? 'moment' : 'day'
  return hasTime ? 'time' : 'plain'
}

/** Excel allows up to 65,490 combinations of format, font and color. */
const MAX_STYLES = 100_000

/** Reads the format of each style that cells refer to by number. */
export async function readStyles(workbook: Workbook): Promise<NumberFormat[]> {
  const formats = new Map<number, NumberFormat>()
  const styles: NumberFormat[] = []
  if (!workbook.styles) return styles
  let isInCells = false
  await readPart(workbook, workbook.styles, ['numFmt', 'cellXfs', 'xf'], {
    open: (name, attributes) => {
      if (name === 0) {
        if (formats.size === MAX_STYLES) throw damagedXml('it has more than 100,000 number formats')
        formats.set(Number(attributes.find('numFmtId')), readNumberFormat(attributes.find('formatCode') ?? ''))
      } else if (name === 1) isInCells = true
      else if (name === 2 && isInCells) {
        if (styles.length === MAX_STYLES) throw damagedXml('it has more than 100,000 styles')
        const id = Number(attributes.find('numFmtId') ?? 0)
        styles.push(formats.get(id) ?? builtIn(id))
      }
    },
    close: (name) => {
      if (name === 1) isInCells = false
    },
    text: () => {},
  })
  return styles
}
