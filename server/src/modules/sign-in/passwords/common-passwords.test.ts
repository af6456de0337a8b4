import { describe, expect, test } from 'vitest'
import { requireGoodPassword } from './password-rules.ts'

describe('a good password', () => {
  const owner = { email: 'ada.lovelace@example.com', userName: 'Ada King' }
  const names = { company: 'Example Company', product: 'Examplary' }
  const problem = (password: string, of = owner) =>
    requireGoodPassword('password', password, of, names).then(
      () => null,
      (error: { details: { message: string }[] }) => error.details[0]?.message,
    )

  test.each([
    'correct horse battery staple',
    'Ünïcödé ✓ 漢字',
    '        !',
    'kx8#vQ2p',
    '🐎🔋📎🚲',
    'examples are good',
    'wide oak '.repeat(15).slice(0, 128),
  ])('may be %j', async (password) => expect(await problem(password)).toBeNull())

  test.each([
    ['1234567', 'Use at least 8 characters.'],
    ['x'.repeat(129), 'Use at most 128 characters.'],
    ['password', 'one of the most common'],
    ['PassWord1', 'one of the most common'],
    ['qwertyuiop', 'one of the most common'],
    ['1q2w3e4r5t', 'one of the most common'],
    ['ada.lovelace@example.com', 'your email'],
    ['my Ada.Lovelace 1815', 'your email'],
    ['ada king!', 'your name'],
    ['xxAdaKingxx', 'your name'],
    ['Example Company', 'the name of this portal'],
    ['!examplary2026', 'the name of this portal'],
    ['Example Company 1', 'the name of this portal'],
  ])('is not %j: %s', async (password, reason) => expect(await problem(password)).toContain(reason))

  test('may contain an email or a name that is too short to identify a person', async () => {
    const short = { email: 'al@example.com', userName: 'Bo' }
    expect(await problem('walrus and bolero', short)).toBeNull()
  })

  test('is neither one of the ranked ones nor a simple variation of one', async () => {
    const { dictionary } = await import('@zxcvbn-ts/language-common')
    const ranked = dictionary['passwords-common']
    expect(ranked).toHaveLength(49_233)
    const taken: string[] = []
    for (const password of ranked) {
      if (password.length >= 8 && (await problem(password)) === null) taken.push(password)
      const longer = `${password.slice(0, 1).toUpperCase()}${password.slice(1)}2026!`
      if (longer.length >= 8 && /\p{L}$/u.test(password) && (await problem(longer)) === null) taken.push(longer)
    }
    expect(taken).toEqual([])
  })

  test.each([
    'P@ssw0rd',
    'P4$$w0rd!',
    'Passw0rd2026',
    '1Password1!',
    'Tr1n1ty99',
    'QWERTYUIOP123',
    '!!dragon2026',
    '1234562026',
    '2026!123456',
    '123123!!',
    'pass-word',
    'p.a.s.s.w.o.r.d',
    'pass word',
    'password        ',
    'pass\u200bword',
    'p\u00e4ssw\u00f6rd',
    'password!!!!!!!!',
    'passwordpassword',
    'dragondragon2026',
    'qwerty-qwerty',
    'password1234567',
    'drowssap',
    'poiuytrewq!',
    '7'.repeat(14),
    'xyzxyzxyzxyz',
    'footballmonkey',
    'Dragon-Shadow!',
    'passwordqwerty2026',
    '\u0440\u0430ssword1',
    '\u0420\u0410SSWORD',
    'qw\u03b5rtyui\u03bfp',
  ])('is not a variation such as %j', async (password) =>
    expect(await problem(password)).toContain('one of the most common'),
  )

  test.each([
    'dragon.8241957',
    'dragon8241957',
    'coffee with dragons',
    'coffeemarble',
    '\u043f\u0430\u0440\u043e\u043b\u044c \u043c\u043e\u0439',
    'pass-word-salads-9',
    'quiet otters juggle lemons',
    'drag(on}7.4182',
    'x7#Kq!v&2m',
    '{9$&a(!)*^',
    'ab=c&d%e?f',
  ])('may contain a common word: %j', async (password) => expect(await problem(password)).toBeNull())
})
