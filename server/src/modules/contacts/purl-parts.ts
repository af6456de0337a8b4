const maxInteger = 2_147_483_647

/**
 * Splits a PURL into base and number. The first holder of a base has it without a number, which is number 1. Null if no
 * contact can have it. A base never ends with a digit (ADR 0008).
 */
export function purlParts(purl: string): { base: string; number: number } | null {
  const [, base = purl, digits] = /^(.*?)(\d+)$/s.exec(purl) ?? []
  if (digits === undefined) return { base, number: 1 }
  const number = Number(digits)
  return number < 2 || number > maxInteger || digits.startsWith('0') ? null : { base, number }
}
