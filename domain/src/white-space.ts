import { trimmed } from './trimming.ts'

const characters = (from: number, to: number): string =>
  String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, at) => from + at))

/**
 * The only definition of white space in user input and in files: every character with Unicode's property White_Space,
 * and those without a width, such as soft hyphens, byte order marks and direction marks, which spreadsheets and
 * messengers leave around a copied text. Each is one code unit.
 */
export const whiteSpace: string = [
  // Tab and the line ends, space, next line, no-break space, soft hyphen.
  characters(0x09, 0x0d),
  '\u0020\u0085\u00a0\u00ad',
  // Arabic letter mark, Ogham space, Mongolian vowel separator.
  '\u061c\u1680\u180e',
  // Spaces of given widths, zero-width ones, and direction marks.
  characters(0x2000, 0x200f),
  characters(0x2028, 0x202f),
  '\u205f\u2060',
  characters(0x2066, 0x2069),
  // Ideographic space and byte order mark.
  '\u3000\ufeff',
].join('')

/** Removes white space from both ends of a text. */
export const withoutOuterSpace = (text: string): string => trimmed(text, whiteSpace)

/** True for a text of only white space, and for the empty one. */
export const isBlank = (text: string): boolean => withoutOuterSpace(text) === ''
