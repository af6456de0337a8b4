import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lineAt, placeOf, scanJson } from './json-scan.ts'

/** Scans a text in which `|` marks the cursor. */
const typedIn = (text: string) => scanJson(text.replace('|', ''), text.indexOf('|')).spot

describe('the position of typing', () => {
  test.each([
    ['{|}', 'name', []],
    ['{"he|"}', 'name', []],
    ['{"height": 1, |', 'name', []],
    ['{"legend": {"pos|": "top"}}', 'name', ['legend']],
    ['{"legend": {|', 'name', ['legend']],
    ['{"legend": {"position": |', 'value', ['legend', 'position']],
    ['{"legend": {"position": "t|"}}', 'value', ['legend', 'position']],
    ['{"legend": {"position": |}}', 'value', ['legend', 'position']],
    ['{"colors": ["teal", |]}', 'value', ['colors', '1']],
    ['{"series": [{}, {"ty|', 'name', ['series', '1']],
    ['|', 'value', []],
  ])('in %s is a %s', (text, of, path) => {
    expect(typedIn(text)).toMatchObject({ of, path })
  })
  test('is neither a name nor a value before a colon or a comma', () => {
    expect(typedIn('{"height" | : 1}')).toBeNull()
    expect(typedIn('{"height": 1 |}')).toBeNull()
  })
  test('covers a whole word and includes the other names, even those after it', () => {
    expect(typedIn('{"a": 1, "he|ig": 2, "b": 3}')).toEqual({
      of: 'name',
      path: [],
      from: 9,
      to: 15,
      names: ['a', 'heig', 'b'],
    })
  })
})

describe('the position of the first JSON error', () => {
  test.each([
    ['{"a": 1 "b": 2}', 8],
    ['{"a": 1,}', 8],
    ['{"a" 1}', 5],
    ['{"a": }', 6],
    ['{"a": yes}', 6],
    ["{'a': 1}", 1],
    ['{"a": [1, 2}', 11],
    ['{"a": "b}', 6],
    ['{"a": 1', 7],
    ['{"a": 1} x', 9],
    ['', 0],
    [',', 0],
  ])('of %s is %d', (text, fault) => {
    expect(() => JSON.parse(text) as unknown).toThrow(SyntaxError)
    expect(scanJson(text).fault).toBe(fault)
  })
  test.each(['{}', '{"a": [1, {"b": null}], "c\\"": "d,}"}', ' [ ] ', '"text"', '12'])('of %s is null', (text) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow()
    expect(scanJson(text).fault).toBeNull()
  })
})

test('a path has a position, and a missing one that of its nearest parent', () => {
  const text = '{\n  "legend": {"position": "up"},\n  "series": [{}, {"type": "pie"}]\n}'
  const scan = scanJson(text)
  const partAt = (...path: string[]): string => {
    const { from, to } = placeOf(scan, path)
    return text.slice(from, to)
  }
  expect(partAt('legend', 'position')).toBe('"position"')
  expect(partAt('legend', 'alignment')).toBe('"legend"')
  expect(partAt('series', '1', 'type')).toBe('"type"')
  expect(partAt('series', '0')).toBe('{')
  expect(partAt('unknown')).toBe('')
  expect(lineAt(text, placeOf(scan, ['series', '1']).from)).toBe(3)
})

test('a text has an error if and only if it is not JSON', () => {
  const parts = ['{', '}', '[', ']', ':', ',', '"a"', '"', '1', 'null', '-', ' ', '\n', '\\']
  const texts = fc.array(fc.constantFrom(...parts), { maxLength: 9 }).map((list) => list.join(''))
  const isJson = (text: string): boolean => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
  fc.assert(
    fc.property(texts, (text) => {
      expect(scanJson(text, text.length).fault === null).toBe(isJson(text))
    }),
    { numRuns: 2000 },
  )
})
