// More marks on one letter than any language writes; Unicode's Stream-Safe Text Format allows 30 too.
const longMarks = /[^\P{M}\u034F]{30}(?=[^\P{M}\u034F])/gu
/** A mark that combines with nothing, and beyond which nothing is sorted. */
const graphemeJoiner = '\u034F'

/**
 * A text in one of Unicode's normal forms, in time that grows with its length. The language sorts the marks of a letter by
 * comparing each with each: thousands of them, on one letter, would hold up the process. So letters with more than 30 marks
 * get a grapheme joiner after each 30.
 */
export const normalizeText = (text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string =>
  text.replaceAll(longMarks, `$&${graphemeJoiner}`).normalize(form)

/** A text as it is stored: composed (NFC). */
export const composed = (text: string): string => normalizeText(text, 'NFC')
