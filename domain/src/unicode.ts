// More marks on one letter than any language uses; Unicode's Stream-Safe Text Format also allows 30.
const longMarks = /[^\P{M}\u034F]{30}(?=[^\P{M}\u034F])/gu
/** A mark that combines with nothing, and that sorting does not cross. */
const graphemeJoiner = '\u034F'

/**
 * Returns a text in one of Unicode's normal forms, in linear time. The JavaScript engine sorts the marks of a letter by
 * comparing each with each: thousands of them, on one letter, would block the process. So letters with more than 30
 * marks get a grapheme joiner after each 30.
 */
export const normalizeText = (text: string, form: 'NFC' | 'NFD' | 'NFKC' | 'NFKD'): string =>
  text.replaceAll(longMarks, `$&${graphemeJoiner}`).normalize(form)

/** Returns a text as it is stored: composed (NFC). */
export const composed = (text: string): string => normalizeText(text, 'NFC')
