import { expect, test } from 'vitest'
import { limitedNetwork } from '#platform/limited-network.ts'
import { allowedSender, closeness, readSender, truncatedAddress } from './caller-origin.ts'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:db8:1:2::', '2001:db8:1:2::'],
  ['::1', '::'],
  ['unknown', 'unknown'],
])('calls of %s count for %s', (address, network) => expect(limitedNetwork(address)).toBe(network))

test.each([
  ['203.0.113.7', '203.0.113.0'],
  ['::ffff:203.0.113.7', '203.0.113.0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
  ['unknown', null],
])('events from %s are stored with %s', (address, stored) => expect(truncatedAddress(address)).toBe(stored))

const isLetIn = (domainOrIp: string, origin: string): boolean =>
  closeness(allowedSender({ type: 'domain', domainOrIp, includeSubDomains: true }), readSender({ origin }, '')) !== null

test.each([
  ['example.com', 'https://shop.example.com'],
  ['example.co.uk', 'https://a.b.example.co.uk'],
  ['ada.github.io', 'https://blog.ada.github.io'],
  ['shop.example.com', 'https://eu.shop.example.com'],
  ['localhost', 'http://shop.localhost'],
  ['intranet', 'https://shop.intranet'],
  ['shop.corp', 'https://eu.shop.corp'],
])('%s with its sub-domains allows %s', (setting, origin) => expect(isLetIn(setting, origin)).toBe(true))

test.each([
  ['com', 'https://evil.com'],
  ['co.uk', 'https://evil.co.uk'],
  ['github.io', 'https://evil.github.io'],
  ['xn--p1ai', 'https://evil.xn--p1ai'],
  ['uk', 'https://evil.co.uk'],
  // Not a public suffix itself, but anyone can register a name further down.
  ['amazonaws.com', 'https://evil.s3.amazonaws.com'],
  ['example.com', 'https://example.com.evil.net'],
])('%s with its sub-domains does not allow %s, which has another owner', (setting, origin) =>
  expect(isLetIn(setting, origin)).toBe(false),
)
