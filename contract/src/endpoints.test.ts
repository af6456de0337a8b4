import { expect, test } from 'vitest'
import { Endpoint, readEndpoint, withoutCredentials } from './endpoints.ts'

const problemsOf = (text: string) => Endpoint.safeParse(text).error?.issues.map(({ message }) => message) ?? []

test.each(['\t', '\n', '\r', ' ', '\u0000', '\u00a0', '\u2028', '\u00ad', '\u200b'])(
  'refuses %j wherever it stands, since programs that read URLs drop or change it',
  (char) => {
    for (const text of [
      `https://${char}/u:p@example.com/`,
      `https:\\${char}\\u:p@example.com/`,
      `ht${char}tps://example.com/`,
      `https://exa${char}mple.com/`,
      `https://example.com/a${char}b?x={{secret}}`,
      `https://example.com/?x=a${char}b`,
    ])
      expect([text, problemsOf(text)]).toEqual([
        text,
        ['Write the URL without blanks, tabs and line breaks. A blank is %20.'],
      ])
  },
)

test.each([
  'https://u:p@example.com/',
  'https:\\\\u@example.com/',
  'https:u:p@example.com',
  'https:///:p@example.com/',
])('refuses a user or password: %s', (text) => {
  expect(problemsOf(text)).toEqual(['Value is invalid!'])
})

test('refuses a fragment, and a placeholder in the host', () => {
  expect(problemsOf('https://example.com/#token=X')).toEqual(['Leave out the part from # on: it is never sent.'])
  for (const text of ['https://{{name}}/', 'https:\\\\a.{{name}}\\', 'https://{{name}}@example.com/'])
    expect([text, problemsOf(text)[0]]).toEqual([
      text,
      'Placeholders can be used after the host only, as in https://example.com/{{name}}.',
    ])
})

test('accepts placeholders after the host, with blanks in them too, and reads stored texts as calls do', () => {
  const text = 'https://example.com/{{ name }}?x={{secret}}&at=a@b'
  expect(problemsOf(text)).toEqual([])
  expect(readEndpoint(text)).toBe(text)
  expect(readEndpoint('https://example.com/a b\n{{ name }}#top')).toBe('https://example.com/a%20b{{ name }}')
})

test('shows a stored endpoint without its user and password', () => {
  for (const start of ['https:\t//u:p@', 'https:\\\n\\u:p@', 'https://\t/u@'])
    expect(withoutCredentials(`${start}example.com/a@b?x`)).toMatch(/^https:[/\\]+example\.com\/a@b\?x$/)
  expect(withoutCredentials('https://example.com/a@b')).toBe('https://example.com/a@b')
})
