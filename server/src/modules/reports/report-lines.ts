import type { DownloadSettings } from '@portico/contract/scheduler/instructions'

const separators: Record<DownloadSettings['delimiter'], string> = { comma: ',', pipe: '|', tab: '\t' }

/** Texts that programs for spreadsheets run as formulas begin like this. */
const formula = /^[=+\-@\t\r]/
/** A sign and digits are a number, or a telephone's. */
const signedDigits = /^[+-](?=.{1,64}$)(?:\d+\.?\d*|\.\d+)$/

/** How the lines of a report are written. */
export type LineFormat = Pick<DownloadSettings, 'delimiter' | 'addQuotes'> & {
  /** Puts an apostrophe before text that a spreadsheet would run as a formula. */
  guardFormulas: boolean
}

/** A line of a file, with its end. */
export function lineOf(values: readonly unknown[], { delimiter, addQuotes, guardFormulas }: LineFormat): string {
  const separator = separators[delimiter]
  const cells = values.map((value) => {
    const text = textOf(value)
    const isText = typeof value === 'string'
    const guarded = guardFormulas && isText && formula.test(text) && !signedDigits.test(text) ? `'${text}` : text
    const needsQuotes = addQuotes || /["\r\n]|^\s|\s$/.test(guarded) || guarded.includes(separator)
    return needsQuotes ? `"${guarded.replaceAll('"', '""')}"` : guarded
  })
  return `${cells.join(separator)}\r\n`
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return plainDigits(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const digits = new Intl.NumberFormat('en-US', { useGrouping: false, maximumFractionDigits: 20 })

/** Without an exponent, which programs for spreadsheets would round. */
const plainDigits = (value: number): string => (/e/.test(String(value)) ? digits.format(value) : String(value))

/** Extension of the file, ignoring compression. */
export const textEnding = ({ delimiter }: Pick<DownloadSettings, 'delimiter'>): string =>
  delimiter === 'comma' ? '.csv' : '.txt'
