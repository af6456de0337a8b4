const maxInteger = 2_147_483_647

/**
 * Splits a PURL into base and number. The first contact of a base has a PURL without a number, which means number 1.
 * Null if no contact can have the PURL. A base never ends with a digit (ADR 0008). Reads from the end, as the text may
 * be long and come from anyone.
 */
export function purlParts(purl: string): { base: string; number: number } | null {
  let start = purl.length
  while (start > 0 && isDigit(purl.charCodeAt(start - 1))) start -= 1
  const [base, digits] = [purl.slice(0, start), purl.slice(start)]
  if (digits === '') return { base, number: 1 }
  const number = Number(digits)
  return number < 2 || number > maxInteger || digits.startsWith('0') ? null : { base, number }
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
