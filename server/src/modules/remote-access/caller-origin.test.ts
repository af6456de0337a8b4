import { expect, test } from 'vitest'
import { limitedNetwork } from '#platform/limited-network.ts'
import { truncatedAddress } from './caller-origin.ts'

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
