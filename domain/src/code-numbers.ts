/** Words at the end of a name that mark its numbers as codes: `Customer No`, `Birth Year`, `ZIP Code`. */
const codeWords = new Set(
  'id ids no nr num number code codes zip zipcode postcode postalcode plz year yr yyyy phone telephone tel mobile cell fax ssn ein sku barcode ean isbn upc fips naics sic'.split(
    ' ',
  ),
)

/** Words at the start of such a name, before a word that gives the kind: `Phone Home`, `ZIP 5`. */
const codeBeginnings = new Set('zip zipcode postal phone telephone tel mobile fax'.split(' '))
const qualifiers = new Set('home work office main other alt cell mobile primary secondary plus ext'.split(' '))

/** Splits a name into words: `customerNo`, `customer_no` and `Customer No.` have the same two. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '')

function isCodeName(name: string): boolean {
  const words = wordsOf(name)
  const last = words.at(-1)
  if (last === undefined) return false
  if (codeWords.has(last)) return true
  return codeBeginnings.has(words[0] ?? '') && (words.length === 1 || qualifiers.has(last))
}

const isYear = (value: number): boolean => value >= 1900 && value <= 2100

/** Long numbers of one length, nearly all different, and not rounded: customer or telephone numbers, not amounts. */
function areNumbered(values: readonly number[]): boolean {
  const different = new Set(values)
  const lengths = new Set([...different].map((value) => String(value).length))
  const [length = 0] = lengths
  if (lengths.size !== 1 || length < 7 || different.size < 3) return false
  const round = [...different].filter((value) => value % 10 === 0).length
  return different.size >= values.length * 0.9 && round <= different.size / 3
}

/**
 * Returns whether the numbers of a field are codes, which are written without separators: all are whole, and the name
 * or the values look like codes. `values` is a sample of them; false for an empty sample.
 */
export function areCodes(name: string, values: readonly number[]): boolean {
  if (values.length === 0 || !values.every((value) => Number.isSafeInteger(value) && value >= 0)) return false
  return isCodeName(name) || values.every(isYear) || areNumbered(values)
}
