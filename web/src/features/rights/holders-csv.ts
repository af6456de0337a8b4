import { guardFormula } from '@portico/contract/exported-values'
import { conditionsInWords } from '@portico/contract/rights/condition-words'
import { shownText } from '@portico/contract/shown-text'
import { limitsInWords, mayInWords, statusInWords } from './holder-words.ts'
import type { RightHolder } from './rights-queries.ts'

const columns = ['action', 'email', 'name', 'status', 'may', 'policies', 'groups', 'conditions', 'limits']

/** The holders of a right as CSV with a header. Texts that a spreadsheet would run as a formula get an apostrophe. */
export function holdersCsv(action: string, holders: readonly RightHolder[]): string {
  const rows = holders.map((holder) => [
    action,
    holder.email,
    holder.userName ?? '',
    statusInWords(holder),
    mayInWords(holder),
    holder.by.map(({ policy }) => policy).join('; '),
    [...new Set(holder.by.flatMap(({ groups }) => groups))].join('; '),
    holder.by.flatMap(({ text }) => (text ? [conditionsInWords(text.conditions, text.conditionLogic)] : [])).join(' '),
    limitsInWords(holder),
  ])
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\n`).join('')
}

function cell(value: string): string {
  const text = guardFormula(shownText(value))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
