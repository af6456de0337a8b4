import { trimmed } from './trimming.ts'

const characters = (from: number, to: number): string =>
  String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, at) => from + at))

/**
 * The one meaning of white space in what people type and in what files hold: every character with Unicode's property
 * White_Space, and those without a width, such as soft hyphens, byte order marks and marks of direction, which spreadsheets
 * and messengers leave around a copied text. Each is one code unit.
 */
export const whiteSpace: string = [
  // Tab and the line ends, space, next line, no-break space, soft hyphen.
  characters(0x09, 0x0d),
  '\u0020\u0085\u00a0\u00ad',
  // Arabic letter mark, Ogham space, Mongolian vowel separator.
  '\u061c\u1680\u180e',
  // Spaces of given widths, zero-width ones, and marks of direction.
  characters(0x2000, 0x200f),
  characters(0x2028, 0x202f),
  '\u205f\u2060',
  characters(0x2066, 0x2069),
  // Ideographic space and byte order mark.
  '\u3000\ufeff',
].join('')

/** A text without white space at both ends. */
export const withoutOuterSpace = (text: string): string => trimmed(text, whiteSpace)

/** True for a text of white space alone, and for the empty one. */
export const isBlank = (text: string): boolean => withoutOuterSpace(text) === ''
