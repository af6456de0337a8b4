import { expect, test } from 'vitest'
import { createSecrets, SecretUnreadable } from './secrets.ts'

const key = 'k'.repeat(32)
const secrets = createSecrets(key, 'tests')

test('decrypts what it has sealed, of any length and in any script', () => {
  for (const text of ['', 'JBSWY3DPEHPK3PXP', 'pässwörd ✓', 'x'.repeat(10_000)]) {
    expect(secrets.open(secrets.seal(text, 'ada'), 'ada')).toBe(text)
  }
})

test('seals the same text differently each time, and reveals nothing of it', () => {
  const [one, other] = [secrets.seal('hidden', 'ada'), secrets.seal('hidden', 'ada')]
  expect(one).not.toBe(other)
  expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('hidden')
})

test('does not decrypt for another owner, purpose or key, nor altered or cut data', () => {
  const sealed = secrets.seal('hidden', 'ada')
  const changed = Buffer.from(sealed, 'base64url')
  changed[30] = (changed[30] ?? 0) ^ 1
  expect(() => secrets.open(sealed, 'bob')).toThrow(SecretUnreadable)
  expect(() => createSecrets(key, 'others').open(sealed, 'ada')).toThrow(SecretUnreadable)
  expect(() => createSecrets('j'.repeat(32), 'tests').open(sealed, 'ada')).toThrow(SecretUnreadable)
  expect(() => secrets.open(changed.toString('base64url'), 'ada')).toThrow(SecretUnreadable)
  for (const length of [0, 5, 16, 27, 30]) {
    expect(() => secrets.open(sealed.slice(0, length), 'ada')).toThrow(SecretUnreadable)
  }
})

test('recognizes a text by its fingerprint, only for its owner and with the same key', () => {
  const fingerprint = secrets.fingerprint('abcde-fghij', 'ada')
  expect(fingerprint).toMatch(/^[0-9a-f]{64}$/)
  expect(secrets.fingerprint('abcde-fghij', 'ada')).toBe(fingerprint)
  expect(secrets.fingerprint('abcde-fghij', 'bob')).not.toBe(fingerprint)
  expect(secrets.fingerprint('abcde-fghik', 'ada')).not.toBe(fingerprint)
  expect(createSecrets('j'.repeat(32), 'tests').fingerprint('abcde-fghij', 'ada')).not.toBe(fingerprint)
})
