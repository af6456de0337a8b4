import { expect, test } from 'vitest'
import { timed } from '#test/kit/timed.ts'
import { purlParts } from './purl-parts.ts'

test.each([
  ['anna', { base: 'anna', number: 1 }],
  ['anna12', { base: 'anna', number: 12 }],
  ['a1b2147483647', { base: 'a1b', number: 2_147_483_647 }],
  ['anna2147483648', null],
  ['anna1', null],
  ['anna02', null],
  ['12', { base: '', number: 12 }],
  ['', { base: '', number: 1 }],
  ['1\n2', { base: '1\n', number: 2 }],
])('%j', (purl, parts) => {
  expect(purlParts(purl)).toEqual(parts)
})

test('a very long PURL is parsed quickly', () => {
  const digits = '1'.repeat(900_000)
  expect(timed(() => purlParts(`${digits}x`))).toEqual({ base: `${digits}x`, number: 1 })
  expect(timed(() => purlParts(`x${digits}`))).toBeNull()
})
