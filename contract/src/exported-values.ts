/**
 * A text that a spreadsheet computes begins with one of these; some East Asian versions treat full-width signs alike.
 */
export const formulaSigns = '=+-@\t\r\n＝＋－＠'

// The guard doubles apostrophes before a formula; otherwise an import would remove one that belongs to the text.
const formula = /^'*([=+\-@\t\r\n＝＋－＠])/

/** Maximum length of texts after a sign that are accepted as not computed by any spreadsheet. */
export const longestSignedText = 64
const signedNumber =
  /^[+-] ?(?:\p{Sc} ?)?(?:\d+(?:[.,'’ \u00A0\u202F]\d+)*[.,]?|[.,]\d+)(?:[ \u00A0\u202F]?(?:[%‰]|\p{Sc}|°[CF]?))?$/u
// Only digits, blanks and marks: at worst a spreadsheet subtracts the parts of the number; it reads and runs nothing.
const telephone = /^\+[ (]?\d[\d ().\-/\u00A0]*\d$/
const telephoneDigits = { fewest: 7, most: 15 }
// A dash for "none", or words between dashes, end with an operator, so they are not formulas.
const dashes = /^[+-][+\- ]*$|^[+-]+ ?[\p{L}\p{M} ]+[+-]+$/u

/** Returns whether a text that begins with + or - is a number, a telephone number or a dash, as people write them. */
export function isHarmlessSigned(text: string): boolean {
  if (text.length > longestSignedText) return false
  if (signedNumber.test(text) || dashes.test(text)) return true
  const digits = text.replaceAll(/\D/g, '').length
  return telephone.test(text) && digits >= telephoneDigits.fewest && digits <= telephoneDigits.most
}

/** Returns whether the guard puts an apostrophe before a text: a spreadsheet would compute it, or it looks guarded. */
export function needsGuard(text: string): boolean {
  const [whole, sign] = formula.exec(text) ?? []
  if (whole === undefined) return false
  return (sign !== '+' && sign !== '-') || !isHarmlessSigned(text.slice(whole.length - 1))
}

/** Puts an apostrophe before text that a spreadsheet would run as a formula. `takeGuardOff` restores the text. */
export const guardFormula = (text: string): string => (needsGuard(text) ? `'${text}` : text)

/** Returns the text as it was before `guardFormula`. */
export const takeGuardOff = (text: string): string =>
  text.startsWith("'") && needsGuard(text.slice(1)) ? text.slice(1) : text

/** Writes a number without an exponent, with the same digits: 1.5e+20 → 150000000000000000000, 1e-05 → 0.00001. */
export function plainNumber(text: string): string {
  const found = /^(-?)(\d+)(?:\.(\d+))?e([+-]?\d+)$/i.exec(text)
  if (!found) return text
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return `${sign}${digits}${'0'.repeat(point - digits.length)}`
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
