import { expect, test } from 'vitest'
import { aUser } from '#test/server.ts'
import { isMenuVisible, mayOpen, isTransient, placeBeyondAccounts } from './access.ts'

const shownTo = (email: string, list?: string[]): boolean =>
  isMenuVisible({ menu: 'crm' }, aUser({ email, preferences: { menus: list ? { crm: list } : {}, timeout: 30 } }))

test('a menu without an entry in the preferences is hidden, an empty list shows it to everybody', () => {
  expect(shownTo('mara@example.com')).toBe(false)
  expect(shownTo('mara@example.com', [])).toBe(true)
})

test('a list shows it to the listed only, -1 in front to all others', () => {
  expect(shownTo('Mara@example.com', ['mara@example.com'])).toBe(true)
  expect(shownTo('tom@example.com', ['mara@example.com'])).toBe(false)
  expect(shownTo('Mara@example.com', ['-1', 'mara@example.com'])).toBe(false)
  expect(shownTo('tom@example.com', ['-1', 'mara@example.com'])).toBe(true)
})

test('entries without a menu name are always shown', () => {
  expect(isMenuVisible({}, aUser())).toBe(true)
})

test('a gate asks for a feature, for administrators or for power admins', () => {
  expect(isTransient({}, aUser())).toBe(true)
  expect(isTransient({ feature: 'contact-import-list' }, aUser())).toBe(false)
  expect(isTransient({ feature: 'contact-import-list' }, aUser({ policies: ['contact-import-list'] }))).toBe(true)
  expect(isTransient({ who: 'administrator' }, aUser())).toBe(false)
  expect(isTransient({ who: 'administrator' }, aUser({ isPowerUser: true }))).toBe(true)
  expect(isTransient({ who: 'administrator' }, aUser({ isPowerAdmin: true }))).toBe(true)
  expect(isTransient({ who: 'power-admin' }, aUser({ isPowerUser: true }))).toBe(false)
  expect(isTransient({ who: 'power-admin' }, aUser({ isPowerAdmin: true }))).toBe(true)
})

test('a record is open to whom its screen is, and left for the screen in another account', () => {
  const reader = aUser({ policies: ['contact-offers-list'] })
  expect(mayOpen('/contact-service/documents/17?from=1', reader)).toBe(true)
  expect(mayOpen('/contact-service/documents/17', aUser())).toBe(false)
  expect(placeBeyondAccounts('/contact-service/documents/17')).toBe('/contact-service/documents')
  expect(placeBeyondAccounts('/contact-service/documents')).toBe('/contact-service/documents')
  expect(placeBeyondAccounts('/module/crm')).toBe('/module/crm')
})
