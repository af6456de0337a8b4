import { expect, test } from 'vitest'
import { foldName } from './names.ts'
import { normalizeText } from './unicode.ts'

const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const
// Marks of two classes: normalizing moves the later ones before all others.
const marks = (count: number): string => `a${'\u0301'.repeat(count)}${'\u0316'.repeat(count)}`

test.each(forms)('%s matches the built-in result for letters with up to 30 marks', (form) => {
  for (const text of ['', 'Zoe\u0308', 'ﬁ \uFDFA', '각', marks(15), `${marks(15)} ${marks(3)}`]) {
    expect(normalizeText(text, form)).toBe(text.normalize(form))
  }
})

test.each(forms)('%s of a million marks on one letter finishes, and stays distinct', (form) => {
  const long = normalizeText(marks(500_000), form)
  expect(long.length).toBeGreaterThan(1_000_000)
  expect(long === normalizeText(marks(499_999), form)).toBe(false)
})

test('composing is idempotent', () => {
  for (const count of [14, 15, 16, 31, 1000, 500_000]) {
    const once = normalizeText(marks(count), 'NFC')
    // The diff of a million marks would fill the terminal.
    expect({ count, isSame: normalizeText(once, 'NFC') === once }).toEqual({ count, isSame: true })
  }
})

test('names with too many marks can still be compared', () => {
  expect(foldName(`  ${marks(100)}B`)).toBe(foldName(`${marks(100)}b`))
  expect(foldName(marks(100))).not.toBe(foldName(marks(101)))
})
