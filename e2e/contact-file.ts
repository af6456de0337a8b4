import { readFile } from 'node:fs/promises'

/** Columns of the files that tests import. The table of contacts shows the first seven. */
export const columns = ['First Name', 'Last Name', 'Email', 'City', 'Score', 'Member', 'Since', 'Note'] as const

export type Contact = Record<(typeof columns)[number], string>

const firstNames = ['Ada', 'Zoë', 'Bruno', 'Łukasz', 'Carmen', 'Dmitri', 'Eun-ji', 'Fatima', 'Grace', 'Åsa', "Miles O'"]
const lastNames = ['Abbott', 'Müller', 'Castillo', 'Dahl', 'Evans', 'Fournier', 'Grzyb']
const cities = ['Lisbon', 'Zürich', 'Austin, TX', 'Oslo', 'Kyoto', 'São Paulo', '']
const notes = ['', 'prefers "e-mail"', 'calls,\nthen writes', 'plain', '  set in  ', '😀 likes surprises']

/** Returns `count` different people, always the same. */
export function contacts(count: number): Contact[] {
  return Array.from({ length: count }, (_, index) => {
    const day = new Date(Date.UTC(2015, 0, 1 + (index % 4000)))
    return {
      'First Name': pick(firstNames, index),
      'Last Name': pick(lastNames, Math.floor(index / 3)),
      Email: `person.${index + 1}@example.com`,
      City: pick(cities, index),
      Score: String(((index * 37) % 2000) / 2 - 100),
      Member: index % 3 === 0 ? 'true' : 'false',
      Since: day.toISOString().slice(0, 10),
      Note: pick(notes, index),
    }
  })
}

const pick = (list: readonly string[], index: number): string => list[index % list.length] ?? ''

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\n`

export const csvRow = (contact: Contact): string => csvLine(columns.map((column) => contact[column]))

export const csvFile = (rows: readonly Contact[]): string => csvLine(columns) + rows.map(csvRow).join('')

const plainLetters: Record<string, string> = { ë: 'e', ł: 'l', å: 'a', ü: 'u' }
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[ëłåü]/g, (letter) => plainLetters[letter] ?? '')
    .replace(/[^a-z\d]/g, '')

/** Returns the PURL of each contact: first and last name in ASCII, with a number after the first contact of a name. */
export function purlsOf(people: readonly Contact[]): string[] {
  const holders = new Map<string, number>()
  return people.map((person) => {
    const base = plain(person['First Name'] + person['Last Name'])
    const number = (holders.get(base) ?? 0) + 1
    holders.set(base, number)
    return number === 1 ? base : `${base}${number}`
  })
}

/**
 * Returns the text of an exported file without its byte order mark, by which Excel recognizes UTF-8.
 * @throws if it has none
 */
export async function exportedText(path: string): Promise<string> {
  const text = await readFile(path, 'utf8')
  if (!text.startsWith('\u{FEFF}')) throw new Error(`${path} has no byte order mark.`)
  return text.slice(1)
}
