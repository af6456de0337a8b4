/** Text that a spreadsheet would run as a formula begins like this; some of East Asia read full-width signs alike. */
const formula = /^[=+\-@\t\r＝＋－＠]/
/** A sign and digits are a number, or a telephone's. */
const signedDigits = /^[+-](?=.{1,64}$)(?:\d+\.?\d*|\.\d+)$/

/** Whether a spreadsheet could run a text as a formula; numbers with a sign are not excepted. */
export const beginsFormula = (text: string): boolean => formula.test(text)

/** Puts an apostrophe before text that a spreadsheet would run as a formula. */
export const guardFormula = (text: string): string =>
  beginsFormula(text) && !signedDigits.test(text) ? `'${text}` : text

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
