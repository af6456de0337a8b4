import { expect, test } from 'vitest'
import { aUser } from '#test/server.ts'
import { mayOpen, mayPass, placeBeyondAccounts } from './access.ts'

test('a gate requires a feature, an administrator or a power admin', () => {
  expect(mayPass({}, aUser())).toBe(true)
  expect(mayPass({ feature: 'contact-import-list' }, aUser())).toBe(false)
  expect(mayPass({ feature: 'contact-import-list' }, aUser({ policies: ['contact-import-list'] }))).toBe(true)
  expect(mayPass({ who: 'administrator' }, aUser())).toBe(false)
  expect(mayPass({ who: 'administrator' }, aUser({ isPowerUser: true }))).toBe(true)
  expect(mayPass({ who: 'administrator' }, aUser({ isPowerAdmin: true }))).toBe(true)
  expect(mayPass({ who: 'main-administrator' }, aUser({ isPowerUser: true }))).toBe(true)
  expect(mayPass({ who: 'main-administrator' }, aUser({ isPowerUser: true, parent: 7 }))).toBe(false)
  expect(mayPass({ who: 'main-administrator' }, aUser({ isPowerAdmin: true, parent: 7 }))).toBe(true)
  expect(mayPass({ who: 'power-admin' }, aUser({ isPowerUser: true }))).toBe(false)
  expect(mayPass({ who: 'power-admin' }, aUser({ isPowerAdmin: true }))).toBe(true)
})

test('a record needs the rights of its screen; switching accounts leads from the record to that screen', () => {
  const reader = aUser({ policies: ['contact-offers-list'] })
  expect(mayOpen('/contact-service/documents/17?from=1', reader)).toBe(true)
  expect(mayOpen('/contact-service/documents/17', aUser())).toBe(false)
  expect(placeBeyondAccounts('/contact-service/documents/17')).toBe('/contact-service/documents')
  expect(placeBeyondAccounts('/contact-service/documents')).toBe('/contact-service/documents')
  expect(placeBeyondAccounts('/module/crm')).toBe('/module/crm')
})
