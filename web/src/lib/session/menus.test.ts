import { expect, test } from 'vitest'
import { aUser } from '#test/server.ts'
import { isMenuVisible } from './menus.ts'

const shownTo = (email: string, list?: string[]): boolean =>
  isMenuVisible({ menu: 'crm' }, aUser({ email, preferences: { menus: list ? { crm: list } : {}, timeout: 30 } }))

test('a menu without an entry in the preferences is hidden, an empty list shows it to everyone', () => {
  expect(shownTo('mara@example.com')).toBe(false)
  expect(shownTo('mara@example.com', [])).toBe(true)
})

test('a list shows the menu only to those listed, a leading -1 to all others', () => {
  expect(shownTo('Mara@example.com', ['mara@example.com'])).toBe(true)
  expect(shownTo('tom@example.com', ['mara@example.com'])).toBe(false)
  expect(shownTo('Mara@example.com', ['-1', 'mara@example.com'])).toBe(false)
  expect(shownTo('tom@example.com', ['-1', 'mara@example.com'])).toBe(true)
})

test('entries without a menu name are always shown', () => {
  expect(isMenuVisible({}, aUser())).toBe(true)
})
