import { describe, expect, test } from 'vitest'
import { emailsProblem, toPreferences, toValues } from './preferences-rules.ts'

describe('a list of emails', () => {
  test.each([
    ['ann@example.com', null],
    ['ann@example.com,bob@example.com', null],
    ['', 'Value is required!'],
    ['ann@example.com, bob@example.com', 'Invalid email or format given'],
    ['ann@example.com;bob@example.com', 'Invalid email or format given'],
    ['ann@example.com,', 'Invalid email or format given'],
    ['ann', 'Invalid email or format given'],
    ['-1,ann@example.com', 'Invalid email or format given'],
    ['ann@example.com,ANN@example.com', 'Duplicate value detected'],
  ])('%j: %s', (emails, problem) => expect(emailsProblem(emails)).toBe(problem))
})

test('saved preferences convert to the form and back unchanged; unknown menus are kept', () => {
  const saved = {
    menus: {
      home: [],
      campaigns: [],
      crm: ['ann@example.com', 'bob@example.com'],
      settings: ['-1', 'ann@example.com'],
      partners: ['x@example.com'],
    },
    timeout: 90,
    requiresTwoFactor: true,
    fullScreenIsActivity: true,
    version: 3,
  }
  const values = toValues(saved)
  expect(values.timeout).toBe('90')
  expect(values.menus).toMatchObject({
    home: { audience: 'everyone' },
    dashboards: { audience: 'off' },
    campaigns: { audience: 'everyone' },
    crm: { audience: 'only', emails: 'ann@example.com,bob@example.com' },
    settings: { audience: 'except', emails: 'ann@example.com' },
  })
  expect(toPreferences(values, saved)).toEqual(saved)
})

test('Home is never off, and an unknown timeout becomes the default', () => {
  const saved = { menus: {}, timeout: 45, requiresTwoFactor: false, version: 3 }
  const values = toValues(saved)
  expect(values.timeout).toBe('30')
  expect(toPreferences(values, saved)).toEqual({
    menus: { home: [] },
    timeout: 30,
    requiresTwoFactor: false,
    fullScreenIsActivity: false,
    version: 3,
  })
})
