import { describe, expect, test } from 'vitest'
import { readVisitorKey, sharedPath } from './visitor-key.ts'

const keyOf = (attributes: Record<string, string>, url: string): string | undefined =>
  readVisitorKey(attributes, new URL(url))?.toString()

describe('the visitor is identified by', () => {
  test.each<[Record<string, string>, string, string]>([
    [{}, 'https://shop.com/anna-smith', 'purl=anna-smith'],
    [{}, 'https://shop.com/welcome/anna-smith/', 'purl=anna-smith'],
    [{}, 'https://shop.com/welcome?purl=anna-smith', 'purl=anna-smith'],
    [{ key: 'Email' }, 'https://shop.com/anna?Email=anna%40example.com', 'Email=anna%40example.com'],
    [{ key: 'Email', from: 'query:e' }, 'https://shop.com/?e=+anna+', 'Email=anna'],
    [
      { key: 'Email', from: 'query:e' },
      'https://shop.com/?a=1+2&e=bob+news@example.com',
      'Email=bob%2Bnews%40example.com',
    ],
    [
      { key: 'Email', from: 'query:e' },
      'https://shop.com/?e=bob%2Bnews%40example.com',
      'Email=bob%2Bnews%40example.com',
    ],
    [{ key: 'Phone' }, 'https://shop.com/?Phone=+41+79+555+01+34', 'Phone=%2B41+79+555+01+34'],
    [{ key: 'Full Name' }, 'https://shop.com/?Full+Name=Anna+Maria', 'Full+Name=Anna+Maria'],
    [{ from: 'path' }, 'https://shop.com/anna?purl=ben', 'purl=anna'],
    [{ from: 'subdomain' }, 'https://anna.shop.com/ben', 'purl=anna'],
    [{ from: 'subdomain' }, 'http://anna.localhost:8080/', 'purl=anna'],
    [
      { key: 'First Name', key2: 'Zip' },
      'https://shop.com/?Zip=80202&First+Name=Zo%C3%AB',
      'First+Name=Zo%C3%AB&Zip=80202',
    ],
    [
      { key: 'Last Name', from: 'path', key2: 'Zip', from2: 'query:z' },
      'https://shop.com/O%27Hara?z=80202',
      'Last+Name=O%27Hara&Zip=80202',
    ],
    [{}, 'https://shop.com/50%', 'purl=50%25'],
  ])('%j in %s', (attributes, url, query) => expect(keyOf(attributes, url)).toBe(query))
})

describe('no visitor is identified by', () => {
  test.each<[Record<string, string>, string]>([
    [{}, 'https://shop.com/'],
    [{}, 'https://shop.com/?purl='],
    [{ key: 'Email' }, 'https://shop.com/anna'],
    [{ from: 'query:c' }, 'https://shop.com/anna'],
    [{ from: 'subdomain' }, 'https://shop.com/anna'],
    [{ from: 'subdomain' }, 'https://www.shop.com/'],
    [{ from: 'subdomain' }, 'http://192.0.2.1/'],
    [{ key: 'First Name', key2: 'Zip' }, 'https://shop.com/?First+Name=Anna'],
  ])('%j in %s', (attributes, url) => expect(keyOf(attributes, url)).toBeUndefined())
})

test.each([
  ['/anna-smith', '/'],
  ['/welcome/anna-smith/', '/welcome'],
  ['/anna-smith/offers', '/offers'],
  ['/anna-smithson', '/anna-smithson'],
  ['/', '/'],
])('the path %s is recorded as %s', (path, recorded) => {
  expect(sharedPath(path, new URLSearchParams({ purl: 'anna-smith' }))).toBe(recorded)
})
