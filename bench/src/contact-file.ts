import { once } from 'node:events'
import { createWriteStream } from 'node:fs'

/** The columns of a generated file, with the type that an import should detect. */
export const columns = [
  ['Customer No', 'string'],
  ['First Name', 'string'],
  ['Last Name', 'string'],
  ['Email', 'string'],
  ['Phone', 'string'],
  ['Street', 'string'],
  ['City', 'string'],
  ['Zip', 'string'],
  ['State', 'string'],
  ['Country', 'string'],
  ['Age', 'number'],
  ['Score', 'number'],
  ['Lifetime Value', 'number'],
  ['Active', 'boolean'],
  ['Opted In', 'boolean'],
  ['Birth Date', 'day'],
  ['Joined', 'day'],
  ['Last Seen', 'date'],
  ['Company', 'string'],
  ['Notes', 'string'],
] as const

const starts = 'An Be Car Da El Fran Gre Ha Is Jo Ka Lu Mar Ni Os Pa Ri So Tho Ursu Vi Wil Zo'.split(' ')
const ends = 'a bert cia dia fred gen he ina jan ke lina mon nie ola per ra sa tine vin zelle'.split(' ')
const roots =
  'Acker Berg Camp Dal Ek Fisch Gross Hol Il Jans Kron Lind Mohr Nord Ost Peter Quin Ros Stein Turn Ul Vos Wald Young Zim'.split(
    ' ',
  )
const tails =
  'an berg child d er feld gård hof i kopf ley mann née off quist rup sen son stedt ton uß ville wood y zý'.split(' ')
const cities = ['Springfield', 'Portland', 'São Paulo', 'Zürich', 'Austin', 'Lyon', 'Osaka', 'Perth']
const states = ['IL', 'OR', 'SP', 'ZH', 'TX', 'RA', 'OS', 'WA']

/** Additional columns of a file for searches: the coordinates of contacts. */
const placeColumns = ['Latitude', 'Longitude'] as const

/** Returns the same numbers for the same seed on every machine, so the files of two runs are equal. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const two = (number: number) => String(number).padStart(2, '0')

/**
 * Writes a contact file of `rows` rows by 20 columns, about 175 bytes a row: names with and without accents, quoted
 * cells, blanks, and in one row of a hundred a contact of an earlier row. `places` adds two columns with coordinates
 * evenly distributed between 50° south and north. Another `seed` gives the same people other values.
 */
export async function writeContactFile(path: string, rows: number, places = false, seed = 20): Promise<void> {
  const file = createWriteStream(path)
  const random = randomNumbers(seed)
  const names = [...columns.map(([name]) => name), ...(places ? placeColumns : [])]
  file.write(`${names.join(',')}\n`)
  let text = ''
  for (let row = 0; row < rows; row++) {
    // The name depends on the contact's number, so a repeated contact has the same email.
    const who = random(100) === 0 && row > 0 ? random(row) : row
    const name = randomNumbers(who)
    const first = `${starts[name(starts.length)]}${ends[name(ends.length)]}`
    const last = `${roots[name(roots.length)]}${tails[name(tails.length)]}${name(4) === 0 ? tails[name(tails.length)] : ''}`
    const city = random(cities.length)
    text +=
      `C${who},${first},${last},${first.toLowerCase()}.${who}@example.com,` +
      `${random(20) === 0 ? '' : `555-${1000 + random(9000)}`},${1 + random(999)} Main Street,${cities[city]},` +
      `${two(random(100))}${100 + random(900)},${states[city]},US,${18 + random(70)},${random(10000) / 100},` +
      `${random(100_000)},${random(2) === 0},${random(2) === 0 ? 'TRUE' : 'FALSE'},` +
      `19${50 + random(50)}-${two(1 + random(12))}-${two(1 + random(28))},${1 + random(12)}/${1 + random(28)}/20${10 + random(15)},` +
      `2025-${two(1 + random(12))}-${two(1 + random(28))}T${two(random(24))}:${two(random(60))}:00Z,` +
      `"${last}, Inc. ${random(1000)}",${random(3) === 0 ? '' : 'prefers e-mail in the morning'}` +
      `${places ? `,${random(100_000) / 1000 - 50},${random(360_000) / 1000 - 180}` : ''}\n`
    if (text.length > 1 << 20) {
      if (!file.write(text)) await once(file, 'drain')
      text = ''
    }
  }
  file.end(text)
  await once(file, 'close')
}
