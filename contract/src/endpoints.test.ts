import { describe, expect, test } from 'vitest'
import { Endpoint, isCalledAsWritten, readEndpoint, withoutCredentials } from './endpoints.ts'

const problemsOf = (text: string) => Endpoint.safeParse(text).error?.issues.map(({ message }) => message) ?? []

test.each(['\t', '\n', '\r', ' ', '\u0000', '\u00a0', '\u2028', '\u00ad', '\u200b'])(
  'refuses %j anywhere, since programs that read URLs drop or change it',
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

test('accepts placeholders after the host, even with blanks, and reads stored texts as calls do', () => {
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

describe('the canonical form of an endpoint', () => {
  test.each([
    ['http://example.com', 'http://example.com/'],
    ['HTTPS://EXAMPLE.com:443/A', 'https://example.com/A'],
    ['http://example.com:8080', 'http://example.com:8080/'],
    ['http://example.com./x', 'http://example.com/x'],
    ['http://127.1/', 'http://127.0.0.1/'],
    ['http://2130706433/', 'http://127.0.0.1/'],
    ['http://0x7f000001/', 'http://127.0.0.1/'],
    ['http://127%2e0.0.1/', 'http://127.0.0.1/'],
    ['http://①27.0.0.1/', 'http://127.0.0.1/'],
    ['http://[::ffff:127.0.0.1]/', 'http://127.0.0.1/'],
    ['http://[2001:DB8:0::1]:81/', 'http://[2001:db8::1]:81/'],
    ['http://ⓛocalhost/', 'http://localhost/'],
    ['http://example.com/public/../admin/x', 'http://example.com/admin/x'],
    ['http://example.com/public/%2e%2e/admin/x', 'http://example.com/admin/x'],
    ['http://example.com/public/.%2E/admin/x', 'http://example.com/admin/x'],
    ['http://example.com/public/\\..\\..\\admin/x', 'http://example.com/admin/x'],
    ['http://example.com\\x.corp.example/', 'http://example.com/x.corp.example/'],
    ['http://example.com/%61dmin%2Fx%7e', 'http://example.com/admin%2Fx~'],
    [
      'http://example.com/{{ name }}/../{{name}}.csv?u={{url}}&s={{secret}}',
      'http://example.com/{{name}}.csv?u={{url}}&s={{secret}}',
    ],
    ['http://example.com/placeholder-0-/{{name}}', 'http://example.com/placeholder-0-/{{name}}'],
    ['http://example.com/ü?q=ü', 'http://example.com/%C3%BC?q=%C3%BC'],
  ])('%s is %s', (text, url) => {
    expect(Endpoint.parse(text)).toBe(url)
    expect(Endpoint.parse(url)).toBe(url)
    expect(readEndpoint(text)).toBe(url)
  })

  test.each([
    '..%2fadmin',
    '..%5Cadmin',
    'a%2f..%2f..%2fadmin',
    '..;/admin',
    '..;x=1/admin',
    '..%3b/admin',
    '%252e%252e/admin',
    '%252e%252e%252fadmin',
  ])('has no dots that some servers resolve: %s', (path) => {
    expect(problemsOf(`http://example.com/public/${path}`)).toEqual([
      'Write the path without encoded slashes beside dots, which servers read as another folder.',
    ])
  })

  test('excludes placeholder values that would change the path', () => {
    for (const name of ['a', 'a%2Fb', 'a%20b', '~x', "it's"])
      expect([name, isCalledAsWritten(`http://example.com/public/${name}/x?u=..%2f&n='`)]).toEqual([name, true])
    for (const name of ['..', '.', '%2e%2e', '..%2fadmin', '..;'])
      expect([name, isCalledAsWritten(`http://example.com/public/${name}/x`)]).toEqual([name, false])
  })
})
