import { expect, test } from 'vitest'
import { findDelimiter } from './file-delimiter.ts'

test.each([
  ['comma', 'Name,City\nAda,London\n'],
  ['tab', 'Name\tCity\tZip\nAda\tLondon\t1\n'],
  ['pipe', 'Name|City\r\nAda|London'],
  ['semicolon', 'Name;City'],
  // A text with commas in each row, and decimal commas.
  ['tab', 'Name\tNote\nAda\tred, round, new\nBob\tblue, square, old\n'],
  ['semicolon', 'Name;Amount\nAda;1,5\nBob;2,5\n'],
  ['semicolon', 'Name;"City, or town";Zip\n"Lovelace, Ada";London;1\n'],
  // Lines before the header, and a row with too few cells.
  ['semicolon', 'Donors of spring, in Oslo\n\nEmail;Phone\nada@example.com;1\nbob@example.com;2\ncy@example.com\n'],
  ['comma', 'Donors of spring,,,,\nExported on 1 March\nEmail,Phone,Phone,ZIP,,\na,1,2,3,,\nb,,,4\n'],
  // A line break within quotes.
  ['tab', '"Full\nname"\tCity\n"Ada, of\nLondon"\tLondon\n'],
  [null, 'Name\nAda\n'],
  [null, '\n'],
  [null, ''],
])('finds %s in %j', (delimiter, text) => {
  expect(findDelimiter(text)).toBe(delimiter)
})

test('reads only complete records', () => {
  expect(findDelimiter('Name;Note\nAda;a\nBob;"b, c, d, e, f')).toBe('semicolon')
})
