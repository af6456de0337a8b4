import type { NewImport } from '@portico/contract/imports'
import { rounds } from './rounds.ts'

// Files and settings of imports that tests interrupt.

export const rowCount = rounds(60_000, 120_000)
export const settings: Partial<NewImport> = {
  generatePURL: true,
  dedupHashMatching: true,
  typeCasting: true,
  purlColumns: ['First', 'Last'],
  dedupColumns: ['Email'],
}

/** Every tenth row repeats an earlier contact, and many share their names. Every thousandth has an odd score. */
export function contactFile(rows: number): string {
  let text = 'First,Last,Email,Score,Note\n'
  for (let row = 0; row < rows; row++) {
    const contact = row % 10 === 9 ? row - 9 : row
    text += `Ann${'abcdefgh'[contact % 8]},Lee${'äbçd'[contact % 4]},p${contact}@example.com,${row % 1000 === 3 ? 'n/a' : contact % 100},${row % 3 ? `note ${row}` : ''}\n`
  }
  return text
}

/** Two contacts, one of which is in the file. */
export const earlier =
  'First,Last,Email,Score,Note\nOld,One,p5@example.com,1,was here\nAnna,Leea,other@example.com,2,\n'
