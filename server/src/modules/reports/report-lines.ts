import { guardFormula, plainNumber } from '@portico/contract/exported-values'
import type { DownloadSettings } from '@portico/contract/scheduler/instructions'

const separators: Record<DownloadSettings['delimiter'], string> = { comma: ',', pipe: '|', tab: '\t' }

/** How the lines of a report are written. */
export type LineFormat = Pick<DownloadSettings, 'delimiter' | 'addQuotes'> & {
  /** Puts an apostrophe before text that a spreadsheet would run as a formula, in files with commas. */
  guardFormulas: boolean
}

/** A line of a file, with its end. */
export function lineOf(values: readonly unknown[], { delimiter, addQuotes, guardFormulas }: LineFormat): string {
  const separator = separators[delimiter]
  // Files with other delimiters are for programs, which want texts as they are.
  const isGuarded = guardFormulas && delimiter === 'comma'
  const cells = values.map((value) => {
    const text = textOf(value)
    const guarded = isGuarded && typeof value === 'string' ? guardFormula(text) : text
    const needsQuotes = addQuotes || /["\r\n]|^\s|\s$/.test(guarded) || guarded.includes(separator)
    return needsQuotes ? `"${guarded.replaceAll('"', '""')}"` : guarded
  })
  return `${cells.join(separator)}\r\n`
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return plainNumber(String(value))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Extension of the file, ignoring compression. */
export const textEnding = ({ delimiter }: Pick<DownloadSettings, 'delimiter'>): string =>
  delimiter === 'comma' ? '.csv' : '.txt'
