import { afterEach, expect, test } from 'vitest'
import { accountIn, setAddressAccount, withAccount, withoutAccount } from './address-account.ts'

afterEach(() => setAddressAccount(null))

test('an address names its account after all other parameters', () => {
  setAddressAccount(12)
  expect(withAccount('/home')).toBe('/home?account=12')
  expect(withAccount('/contact-service/exports?page=2&q=a%20b#row')).toBe(
    '/contact-service/exports?page=2&q=a%20b&account=12#row',
  )
  expect(withAccount('/home?account=3&page=2')).toBe('/home?page=2&account=12')
  setAddressAccount(null)
  expect(withAccount('/home?account=3')).toBe('/home')
})

test('screens get an address without its account, otherwise unchanged', () => {
  expect(withoutAccount('?q=a+b%2Cc&account=12&page=2')).toBe('?q=a+b%2Cc&page=2')
  expect(withoutAccount('?account=12')).toBe('')
  expect(withoutAccount('')).toBe('')
})

test('only a positive whole number names an account', () => {
  expect(accountIn('?page=2&account=12')).toBe(12)
  for (const text of ['', '0', '-1', '1.5', 'abc', '12345678901']) expect(accountIn(`?account=${text}`)).toBeNull()
})
