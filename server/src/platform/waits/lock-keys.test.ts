import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { accountLock, accountLocks, portalLock, portalLocks } from './lock-keys.ts'

/** A new account, and the last possible one. */
const accounts = [1, 2, 2 ** 31 - 1]

test('every lock has a unique key in every account', () => {
  const keys = [
    ...portalLocks.map(portalLock),
    ...accountLocks.flatMap((name) => accounts.map((account) => accountLock(name, account))),
  ]
  expect(keys).toHaveLength(portalLocks.length + accountLocks.length * accounts.length)
  expect(new Set(keys).size).toBe(keys.length)
})

test('every key fits into the bigint of an advisory lock', () => {
  for (const name of accountLocks) {
    for (const account of accounts) expect(accountLock(name, account)).toBeLessThan(2n ** 63n)
  }
})

test('no other file creates lock keys', () => {
  const sources = globSync('src/**/*.ts', { cwd: new URL('../../../', import.meta.url) })
  expect(sources.length).toBeGreaterThan(100)
  const own = ['src/platform/waits/lock-keys.ts']
  const makers = sources.filter(
    (file) =>
      !file.endsWith('.test.ts') &&
      readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8').includes('7_215_'),
  )
  expect(makers).toEqual(own)
})
