import { expect, test } from 'vitest'
import { fromNameHint } from './senders.ts'

const senders = { senders: [], domains: ['acme.example'], ownAddress: 'no-reply@portal.example' }

test("the name is said to be the account's for the portal's own address alone", () => {
  expect(fromNameHint(' No-Reply@Portal.example', senders)).toMatch(/account's name/)
  expect(fromNameHint('news@acme.example', senders)).toBeNull()
  expect(fromNameHint('', senders)).toBeNull()
  expect(fromNameHint('no-reply@portal.example', undefined)).toBeNull()
})
