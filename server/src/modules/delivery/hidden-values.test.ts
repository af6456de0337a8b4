import { HttpNotification } from '@portico/contract/notifications'
import { expect, test } from 'vitest'
import { timed } from '#test/kit/timed.ts'
import { notShown, outcomeOf, redactorOf } from './hidden-values.ts'

const slow = { timeout: 200_000 }

const call = HttpNotification.parse({ type: 'http', method: 'post', endpoint: 'https://example.com/', body: { a: 1 } })
const link = `https://portal.example/files/${'y'.repeat(100)}`
const values = { name: 'n', url: link, records: 1, size: 1, account: 'a', date: 'd', expires: 'e' }
const body = (texts: readonly string[]) => Object.fromEntries(texts.map((text, at) => [`k${at}`, text]))
/** Texts with the same beginning. */
const alike = (count: number): string[] => Array.from({ length: count }, (_, at) => `aaaa${at}`)

test('searching a long response for secrets with a common prefix takes time linear in the response', slow, () => {
  const texts = alike(3000)
  const redact = timed(() => redactorOf(call, { body: body(texts) }, values))
  const reply = 'a'.repeat(65_536)
  expect(timed(() => redact(reply))).toBe(reply)
  const shown = timed(() => redact(`${reply} ${texts.join(' ')} ${link}`))
  expect(shown).not.toMatch(/aaaa\d|portal\.example/)
  expect(shown.endsWith(' {{secret}} {{secret}}')).toBe(true)
})

test('secrets that overlap in a response are removed completely', () => {
  const redact = redactorOf(call, { headers: { a: 'secret1abc', b: 'abcdef2', c: 'xx9yy', d: '9y' } })
  expect(redact('no secret1abcdef2, xx9yyx, xx9yy-xx9yyxx9yy.')).toBe(
    'no {{secret}}, {{secret}}x, {{secret}}-{{secret}}{{secret}}.',
  )
})

test.each<[string, string[]]>([
  ['thousands of secrets', Array.from({ length: 6000 }, (_, at) => `aaaa${String.fromCharCode(0x4e_00 + at)}${at}`)],
  ['a secret of a megabyte of placeholders', ['{{url}}'.repeat(150_000)]],
  ['a secret that is filled with megabytes', ['{{url}}'.repeat(10_000)]],
  ['a long secret', ['x'.repeat(1_000_000)]],
  ['a long secret of many parts', ['ab1 '.repeat(20_000)]],
  ['secrets that are long in other spellings', Array.from({ length: 3000 }, (_, at) => `\u4E00<&>"'${at}`)],
  ['a hundred thousand empty secrets', Array.from({ length: 100_000 }, () => '')],
])('the response to a stored call with %s is not shown', slow, (_name, texts) => {
  const redact = timed(() => redactorOf(call, { body: body(texts) }, values))
  expect(timed(() => redact(`no ${texts[0]} ${link}`))).toBe(notShown)
  expect(timed(() => outcomeOf(call, { body: body(texts) })('no')).length).toBeLessThan(60)
})
