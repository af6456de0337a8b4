import { guardFormula } from '@portico/contract/exported-values'
import type { Person } from '@portico/contract/people'
import { shownText } from '@portico/contract/shown-text'
import { stateWords, twoFactorWords } from './person-words.ts'

const columns = ['email', 'name', 'accounts', 'all accounts', 'last sign-in', 'two-factor', 'state']

/** People as CSV with a header. Texts that a spreadsheet would run as a formula get an apostrophe. */
export function peopleCsv(people: readonly Person[]): string {
  const rows = people.map((person) => [
    person.email,
    person.userName ?? '',
    String(person.accounts),
    person.isGlobal ? 'yes' : 'no',
    person.lastSignInAt ?? '',
    twoFactorWords(person),
    stateWords[person.state],
  ])
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\n`).join('')
}

function cell(value: string): string {
  const text = guardFormula(shownText(value))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
