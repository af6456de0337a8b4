import { expect, test } from 'vitest'
import { fromNameHint } from './senders.ts'

const senders = { senders: [], domains: ['acme.example'], ownAddress: 'no-reply@portal.example' }

test('the hint about the account name appears only for the address of the portal', () => {
  expect(fromNameHint(' No-Reply@Portal.example', senders)).toMatch(/account's name/)
  expect(fromNameHint('news@acme.example', senders)).toBeNull()
  expect(fromNameHint('', senders)).toBeNull()
  expect(fromNameHint('no-reply@portal.example', undefined)).toBeNull()
})
