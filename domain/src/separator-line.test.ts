import { expect, test } from 'vitest'
import { namedDelimiter } from './separator-line.ts'

test.each([
  ['sep=;', ';'],
  ['"sep=;"', ';'],
  ['SEP=,', ','],
  ['sep=\t', '\t'],
  ['"sep=\t"', '\t'],
  ['sep=|', '|'],
  ['sep=^', '^'],
  ['sep=;;;;', ';'],
  ['"sep=,",,,', ','],
])('the line %j sets the delimiter %j', (line, sign) => expect(namedDelimiter(line)).toBe(sign))

test.each([
  '',
  'sep',
  'sep=',
  'sep=a',
  'sep=;,',
  'sep;=',
  '"sep=;',
  'sep=;"',
  'sep="',
  'sep= ',
  ' sep=;',
  'Sep=;Name',
  'x\nsep=;',
])('%j is a header', (line) => expect(namedDelimiter(line)).toBeNull())

test('a long line with a value after its delimiters is a header', () => {
  expect(namedDelimiter(`sep=;${';'.repeat(1_000_000)}x`)).toBeNull()
})
