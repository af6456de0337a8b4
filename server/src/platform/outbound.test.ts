import { describe, expect, test } from 'vitest'
import { createOutboundGuard, NoPublicAddress, OutboundRefused } from './outbound-guard.ts'

const isReachable = (address: string, allow: string[] = []): boolean => {
  try {
    createOutboundGuard(allow).requireReachable(address)
    return true
  } catch (error) {
    if (error instanceof OutboundRefused) return false
    throw error
  }
}

describe('addresses', () => {
  test.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.8',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '[::1]',
    '::ffff:127.0.0.1',
    '::ffff:a01:203',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    'fe80::1',
    'fec0::1',
    'fc00::1',
    'fd12:3456::1',
    'ff02::1',
  ])('%s is private', (address) => expect(isReachable(address)).toBe(false))

  test.each(['8.8.8.8', '172.32.0.1', '192.169.0.1', '2606:4700::1111', '[2a00:1450::1]'])('%s is public', (address) =>
    expect(isReachable(address)).toBe(true),
  )

  test.each([
    ['10.1.2.3', ['10.1.0.0/16'], true],
    ['10.2.2.3', ['10.1.0.0/16'], false],
    ['127.0.0.1', ['127.0.0.1'], true],
    ['127.0.0.2', ['127.0.0.1'], false],
    ['::ffff:10.1.2.3', ['10.1.0.0/16'], true],
    ['fd12::1', ['fd12::/32'], true],
    ['fd13::1', ['fd12::/32', '10.0.0.0/8'], false],
  ])('%s with %j allowed: %s', (address, allow, expected) => expect(isReachable(address, allow)).toBe(expected))
})

describe('names', () => {
  const resolved = (name: string, allow: string[]) =>
    new Promise<unknown>((resolve) =>
      createOutboundGuard(allow).lookupFor(1, new AbortController().signal)(name, { all: true }, (error, found) =>
        resolve(error ?? found),
      ),
    )

  test('are judged by the addresses they resolve to', async () => {
    expect(await resolved('localhost', [])).toBeInstanceOf(NoPublicAddress)
    expect(await resolved('LOCALHOST', ['localhost'])).toContainEqual({ address: '127.0.0.1', family: 4 })
    expect(await resolved('localhost', ['127.0.0.0/8'])).toEqual([{ address: '127.0.0.1', family: 4 }])
  })

  test('of a private network give the same error as names that do not exist', async () => {
    // No part of a name may have over 63 letters.
    const unknown = `${'x'.repeat(64)}.example`
    const messages = await Promise.all([unknown, 'localhost'].map((name) => resolved(name, [])))
    expect(messages).toEqual([new NoPublicAddress(unknown), new NoPublicAddress('localhost')])
  })
})
