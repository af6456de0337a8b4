import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addressProblems,
  callerKey,
  domainKey,
  emailKey,
  isSameCaller,
  readEmailAddress,
  readPersonalAddress,
  withoutRepeated,
} from './email-address.ts'
import { Email } from './email-schemas.ts'

describe('the key of an address', () => {
  test.each([
    // Surrounding blanks, and ASCII letters in any case.
    [' Ada.Lovelace@Example.COM\u00A0', 'Ada.Lovelace@example.com', 'ada.lovelace@example.com'],
    ['\u200B\u3000ada@example.com\uFEFF\u00AD', 'ada@example.com', 'ada@example.com'],
    ["o'neil+news@example.com", "o'neil+news@example.com", "o'neil+news@example.com"],
    ['no-reply@localhost', 'no-reply@localhost', 'no-reply@localhost'],
    ['a@under_score.example', 'a@under_score.example', 'a@under_score.example'],
    // Letters before the @ that are not ASCII stay as they are; only their encoding is composed.
    ['İstanbul@x.example', 'İstanbul@x.example', 'İstanbul@x.example'],
    ['ΣΑΣ@x.example', 'ΣΑΣ@x.example', 'ΣΑΣ@x.example'],
    ['JOSE\u0301@x.example', 'JOSÉ@x.example', 'josÉ@x.example'],
    ['J\u030C@x.example', 'J\u030C@x.example', '\u01F0@x.example'],
    ['\u212Aelvin@x.example', 'Kelvin@x.example', 'kelvin@x.example'],
    // The domain goes through UTS 46.
    ['ceo@İnfo.example', 'ceo@xn--info-qwc.example', 'ceo@xn--info-qwc.example'],
    ['a@MÜNCHEN.example', 'a@xn--mnchen-3ya.example', 'a@xn--mnchen-3ya.example'],
    ['a@mu\u0308nchen。example', 'a@xn--mnchen-3ya.example', 'a@xn--mnchen-3ya.example'],
    ['a@XN--mnchen-3YA.example', 'a@xn--mnchen-3ya.example', 'a@xn--mnchen-3ya.example'],
    ['a@ΣΑΣ.example', 'a@xn--mxa9ab.example', 'a@xn--mxa9ab.example'],
    ['a@σασ.example', 'a@xn--mxa9ab.example', 'a@xn--mxa9ab.example'],
    ['a@σας.example', 'a@xn--mxa8ab.example', 'a@xn--mxa8ab.example'],
    ['a@straße.example', 'a@xn--strae-oqa.example', 'a@xn--strae-oqa.example'],
    ['a@ｅｘａｍｐｌｅ.com', 'a@example.com', 'a@example.com'],
  ])('%j is sent to %j', (text, address, key) => expect(readEmailAddress(text)).toEqual({ address, key }))

  test('distinguishes addresses that other programs confuse', () => {
    const others = ['ceo@info.example', 'ceo@ınfo.example', 'ceo@İnfo.example', 'ceo@іnfo.example', 'ceo@info.exampIe.']
    const keys = others.map(emailKey).filter((key) => key !== null)
    expect(new Set(keys).size).toBe(4)
    expect(isSameCaller('ΣΑΣ@x.example', 'σας@x.example')).toBe(false)
    expect(isSameCaller('İstanbul@x.example', 'i\u0307stanbul@x.example')).toBe(false)
  })

  const everyWordCharacter = Array.from({ length: 0x11_0000 }, (_, code) => code)
    .filter((code) => code < 0xd8_00 || code > 0xdf_ff)
    .map((code) => String.fromCodePoint(code))
    .filter((character) => /[\p{L}\p{M}\p{N}.\u3002\uFF0E\uFF61]/u.test(character))

  test('is stable for every letter, mark and digit, before and after the @', () => {
    expect(everyWordCharacter.length).toBeGreaterThan(100_000)
    const wrong = everyWordCharacter.filter((character) =>
      [`a${character}b@example.com`, `a@x${character}z.example`].some((text) => {
        const read = readEmailAddress(text)
        if (!('key' in read)) return false
        return emailKey(read.key) !== read.key || emailKey(read.address) !== read.key
      }),
    )
    expect(wrong).toEqual([])
  })

  test('is stable for random texts, and ignores blanks and ASCII letter case', () => {
    const character = fc.oneof(
      fc.constantFrom(...Array.from('aB9.-_@İıσΣςßẞé\u0301\u030CK\u212A。א')),
      fc.string({ unit: 'binary', maxLength: 1 }),
    )
    const text = fc
      .tuple(fc.array(character), fc.array(character))
      .map(([a, b]) => `${a.join('')}@${b.join('')}.example`)
    fc.assert(
      fc.property(text, (written) => {
        const read = readEmailAddress(written)
        if (!('key' in read)) return
        expect(emailKey(read.key)).toBe(read.key)
        expect(readEmailAddress(read.address)).toEqual(read)
        expect(emailKey(` ${read.address.replaceAll(/[a-z](?!\p{M})/gu, (letter) => letter.toUpperCase())}\n`)).toBe(
          read.key,
        )
        expect(read.key).toMatch(/^[^@]+@[a-z\d_.-]+$/)
      }),
      { numRuns: 5000 },
    )
  })
})

describe('texts that are not addresses', () => {
  test.each(['', ' ', 'ada', '@example.com', 'ada@', 'a@b@example.com', 'a b@example.com', 'a,b@example.com'])(
    '%j does not look like an address',
    (text) => expect(readEmailAddress(text)).toEqual({ problem: null }),
  )

  test.each([
    'a@exa mple.com',
    '.a@example.com',
    'a.@example.com',
    'a..b@example.com',
    'a@example..com',
    'a@.example.com',
    'a@-example.com',
    'a@example-.com',
    '\u0301a@example.com',
    '☃@example.com',
    'a@☃.example',
    `a@${'x'.repeat(64)}.example`,
    `a@${'x.'.repeat(130)}example`,
    `${'x'.repeat(320)}@example.com`,
  ])('%j has an invalid part', (text) => expect(readEmailAddress(text)).toEqual({ problem: null }))

  test.each([
    ['a\u202Eb@example.com', 'U+202E'],
    ['a@exam\u200Bple.com', 'U+200B'],
    ['a@exam\u00ADple.com', 'U+00AD'],
    ['a\u0000@example.com', 'U+0000'],
    ['a@\u2066example.com', 'U+2066'],
    ['a\u3164@example.com', 'U+3164'],
    ['a\u034F@example.com', 'U+034F'],
    ['a\uFE0F@example.com', 'U+FE0F'],
    ['a\nb@example.com', 'U+000A'],
    ['a\uD800@example.com', 'U+D800'],
    ['a\u2800@example.com', 'U+2800'],
    ['a\u{E0041}@example.com', 'U+E0041'],
  ])('%j has an invisible character, which the message names', (text, code) =>
    expect(readEmailAddress(text)).toEqual({ problem: addressProblems.invisible(code) }),
  )

  test.each([
    'Ada <ada@example.com>',
    '<ada@example.com>',
    '"a b"@example.com',
    'ada@example.com (Ada)',
    'a@[1.2.3.4]',
  ])('%j contains more than an address', (text) =>
    expect(readEmailAddress(text)).toEqual({ problem: addressProblems.notAlone }),
  )

  test.each(['ada@example.com.', 'ada@example.com。'])('%j ends with a dot', (text) =>
    expect(readEmailAddress(text)).toEqual({ problem: addressProblems.finalDot }),
  )

  test.each(['a@127.0.0.1', 'a@0x7f.1', 'a@127.1', 'a@2130706433', 'a@１２７.0.0.1', 'a@0177.0.0.1'])(
    '%j has an IP address as domain',
    (text) => expect(readEmailAddress(text)).toEqual({ problem: addressProblems.ip }),
  )

  test.each([
    ['a@example.com/x', '/'],
    ['a@example.com?x', '?'],
    ['a@example.com#x', '#'],
    ['a@example.com:25', ':'],
    ['a@example%2ecom', '%'],
    ['a@example.com\\x', '\\'],
  ])('%j contains part of a URL', (text, character) =>
    expect(readEmailAddress(text)).toEqual({ problem: addressProblems.notADomain(character) }),
  )

  test.each(['a@אa.example', 'a@1.2.3.4.5', 'a@example.0x'])('%j has a domain that UTS 46 refuses', (text) =>
    expect(readEmailAddress(text)).toEqual({ problem: addressProblems.domain }),
  )

  test('the domain of a person must contain a dot', () => {
    expect(readPersonalAddress('no-reply@localhost')).toEqual({ problem: null })
    expect(Email.safeParse('root@localhost').error?.issues).toMatchObject([{ message: 'Value is invalid!' }])
    expect(Email.safeParse(' ').error?.issues).toMatchObject([{ message: 'Value is required!' }])
    expect(Email.safeParse('a@example.com.').error?.issues).toMatchObject([{ message: addressProblems.finalDot }])
    expect(Email.parse(' Ada@EXAMPLE.com ')).toBe('Ada@example.com')
  })
})

test('bare domains are read like those of addresses', () => {
  expect(domainKey(' München.example ')).toBe('xn--mnchen-3ya.example')
  for (const text of ['', 'example.com.', '10.0.0.1', 'a@b.example', 'exam ple.com']) expect(domainKey(text)).toBeNull()
})

test('lists keep the first occurrence of each address', () => {
  const list = [
    'Ada@example.com',
    'bob@münchen.example',
    'ADA@EXAMPLE.com',
    'bob@xn--mnchen-3ya.example',
    'İ@x.example',
  ]
  expect(withoutRepeated(list)).toEqual(['Ada@example.com', 'bob@münchen.example', 'İ@x.example'])
})

test('callers without an address are compared by their exact name', () => {
  expect(callerKey('service:Nightly')).toBe('service:Nightly')
  expect(isSameCaller('service:Nightly', 'service:nightly')).toBe(false)
  expect(isSameCaller('ada@EXAMPLE.com', 'ADA@example.com')).toBe(true)
})
