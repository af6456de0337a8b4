import type { FieldType } from '@portico/contract/contacts'
import type { Draw } from './random-filters.ts'

// All control characters except NUL, which PostgreSQL cannot store; including tab, line feed and carriage return.
const controls = [...Array.from({ length: 31 }, (_, at) => String.fromCodePoint(at + 1)), '\u007F', '\u0085', '\u009F']

const written = [
  // Quotes and delimiters.
  `"`,
  `""`,
  `"x`,
  `x"`,
  `"x"`,
  `a "quoted" word`,
  `5" pipe`,
  `'`,
  `''`,
  `'=1`,
  `it's`,
  ',',
  ';',
  '|',
  '\t',
  'a,b',
  'a\tb',
  'a|b',
  ',"',
  '","',
  // Line breaks, also alone and at the ends.
  '\r',
  '\n',
  '\r\n',
  'a\rb',
  'a\nb',
  'a\r\nb',
  '\na',
  'a\n',
  '\ra',
  'a\r',
  'a\n\n\nb',
  '"\n"',
  // Blanks.
  ' ',
  '   ',
  ' a',
  'a ',
  ' a ',
  '\u00A0a\u00A0',
  '\u3000',
  '\u200B',
  '\uFEFF',
  '\uFEFFa',
  // Texts that a spreadsheet would run as a formula, or read as a number.
  '=1+1',
  '=cmd|A1',
  '="x"',
  '+1',
  '+1+1',
  '-1',
  '-1-1',
  '-',
  '+',
  '=',
  '@',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '=1,2',
  '-5|6',
  '+420 777 123 456',
  '+1 (415) 555-0134',
  '+1-415-555-0134',
  '-5%',
  '-1,234.56',
  '-5.000,00',
  '-12 °C',
  '- none -',
  `'-5%`,
  `''=1`,
  `'+A1`,
  // Texts that other programs would read as another type.
  'null',
  'NULL',
  '\\N',
  '\\.',
  '\\',
  'a\\',
  'true',
  'FALSE',
  'undefined',
  'NaN',
  'Infinity',
  '007',
  '00',
  '0.10',
  '1e5',
  '1,5',
  '-0',
  '1234567890123456789',
  `-1${'0'.repeat(70)}`,
  '2026-13-45',
  '31.01.2026',
  '1/2/26',
  '0001-01-01',
  // Letters.
  '😀',
  '👩‍👩‍👧',
  '🇨🇿',
  '𝄞',
  'e\u0301',
  'é',
  'a\u0335\u0328\u0302',
  'שלום',
  'مرحبا',
  '\u202Eabc',
  '\u2066abc\u2069',
  '\u2028',
  '\u2029',
  '漢字',
  'ß',
  'İ',
  '\uFFFD',
  '\uFFFE',
  '\u{10FFFF}',
  'ÿþ',
]

/** Texts that importers, exporters and spreadsheets get wrong. None is empty or contains NUL. */
export const oddTexts: string[] = [
  ...written,
  ...controls.flatMap((control) => [control, `a${control}b`]),
  'x'.repeat(100_000),
  `"${'a,"b"\r\n'.repeat(5_000)}`,
  '😀'.repeat(3_000),
]

/** Returns a text of one or several odd pieces. */
function oddText(draw: Draw): string {
  const pieces = Array.from({ length: draw.one([1, 1, 1, 2, 3]) }, () => draw.one(oddTexts))
  return pieces.join(draw.one(['', '', ' ', 'x']))
}

/** Returns a value of the type as text of a file, in any of its accepted forms. */
export function valueOf(type: FieldType, draw: Draw): string {
  switch (type) {
    case 'string':
      return oddText(draw)
    case 'boolean':
      return draw.one(['true', 'false', 'TRUE', 'False'])
    case 'number':
      return draw.one(numbers)
    case 'date':
      return draw.one(dates)
    case 'day':
      return draw.one(days)
  }
}

const numbers = [
  '0',
  '1',
  '-1',
  '12.50',
  '-0.5',
  '0.1',
  '123456789012345',
  '-123456789012345',
  '0.00001',
  '-0.000000000000123',
  `-0.${'0'.repeat(46)}123456789012345`,
]

const days = ['2026-01-31', '1/2/2026', '12/31/1999', '1970-01-01', '1000-01-02', '9999-12-31', '2024-02-29']

const dates = [
  '2026-01-31',
  '2026-01-31T10:00:00Z',
  '2026-01-31 10:00:00.5+02:00',
  '2026-01-31T10:00:00.123Z',
  '1/2/2026',
  '12/31/1999 11:59:59 PM',
  '1970-01-01',
  '1000-01-02',
  '9999-12-30T23:59:59.999Z',
  '2024-02-29',
]
