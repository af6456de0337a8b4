import type { Readable } from 'node:stream'
import { createInterface } from 'node:readline'
import { guardFormula } from '@portico/contract/exported-values'
import { shownText } from '@portico/contract/shown-text'

const auditColumns = ['at', 'account', 'actor', 'action', 'subject', 'details', 'address', 'via', 'via_name', 'count']

/**
 * Converts the lines that `copyAuditLog` reads to CSV with a header; dates are ISO 8601 in UTC. Many of the texts come
 * from strangers, so hidden characters are written out, and a text that a spreadsheet would run as a formula gets an
 * apostrophe.
 */
export async function* auditCsv(copied: Readable): AsyncGenerator<string> {
  yield csvLine(auditColumns)
  for await (const line of createInterface({ input: copied, crlfDelay: Number.POSITIVE_INFINITY })) {
    // COPY doubles the backslashes of the JSON, which has no other characters that COPY escapes.
    yield csvLine(JSON.parse(line.replaceAll('\\\\', '\\')) as (string | number | null)[])
  }
}

const csvLine = (values: readonly (string | number | null)[]): string => `${values.map(cell).join(',')}\n`

function cell(value: string | number | null): string {
  const text = typeof value === 'string' ? guardFormula(shownText(value)) : String(value ?? '')
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
