import { describe, expect, test } from 'vitest'
import { canonicalHost, parseHost, steadyHost } from './hosts.ts'
import { domainOrIpProblem, plainDomainOrIp, readAccessDomain } from './remote-access/rules.ts'

describe('the canonical form of a host', () => {
  test.each([
    ['SFTP.Example.com', 'sftp.example.com'],
    ['example.com.', 'example.com'],
    ['Bücher.example', 'xn--bcher-kva.example'],
    ['STRAẞE.example', 'xn--strae-oqa.example'],
    ['\u212aelvin.example', 'kelvin.example'],
    ['ſftp.example', 'sftp.example'],
    ['127.1', '127.0.0.1'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['_dmarc.example', '_dmarc.example'],
  ])('of %s is %s', (text, host) => {
    expect(parseHost(text)).toBe(host)
    expect(parseHost(host)).toBe(host)
  })

  test.each(['', 'example.com:22', 'a/b', 'a?b', 'user@example.com', 'a b', '1.2.3.999', ':::'])(
    'is null for %j, which is not a host',
    (text) => {
      expect(parseHost(text)).toBeNull()
      expect(canonicalHost(text)).toBe(text)
    },
  )
})

test.each(['a..', '1..'])('%j has no stable canonical form', (text) => {
  expect(steadyHost(text)).toBeNull()
  expect(canonicalHost(text)).toBe(text)
})

describe('the domain of a remote access', () => {
  test.each([
    ['Shop.Example.COM', 'shop.example.com', null],
    ['shop.example.com:8443', 'shop.example.com', 8443],
    ['LOCALHOST:3000', 'localhost', 3000],
    ['203.0.113.7', '203.0.113.7', null],
  ])('%s is parsed', (text, host, port) => {
    expect(readAccessDomain(text)).toEqual({ host, port })
    expect(plainDomainOrIp(` ${text} `)).toBe(port === null ? host : `${host}:${port}`)
    expect(domainOrIpProblem('domain', text)).toBeNull()
  })

  // Browsers would read the last two as addresses.
  test.each(['\u212aelvin.example', 'ſhop.example', 'İ.example', '0x7f.1', '1.2.3'])('%s is refused', (text) => {
    expect(readAccessDomain(text)).toBeNull()
    expect(domainOrIpProblem('domain', text)).toBe('Value is invalid!')
  })
})
