import type { Field } from '@portico/contract/contacts'
import { expect, test } from 'vitest'
import { aRemoteAccess } from '#test/remote-accesses.ts'
import {
  type AccessValues,
  authenticationOptions,
  columnsLabel,
  initialValues,
  problemsOf,
  publicOptions,
  sensitiveOf,
  toAccess,
  widens,
} from './access-form.ts'

const fields = ['Email', 'City'].map((name): Field => ({ name, type: 'string', isIndexed: false }))
const access = aRemoteAccess({ expiresAt: '2026-11-05T08:30:15.000Z' })
const values: AccessValues = initialValues(aRemoteAccess())

test('ID, the PURL and imported columns authenticate; ids and parts of PURLs are never public', () => {
  expect(authenticationOptions(fields, [])).toEqual(['_id', 'purl', 'Email', 'City'])
  expect(publicOptions(fields, [])).toEqual(['Email', 'City', 'purl'])
  expect(publicOptions(fields, ['Gone'])).toEqual(['Email', 'City', 'purl', 'Gone'])
  expect(authenticationOptions([], [])).toEqual([])
  expect(publicOptions([], [])).toEqual([])
})

test("a pair is shown as 'A & B', and the id as ID", () => {
  expect(columnsLabel(['First Name', 'Zip'])).toBe('First Name & Zip')
  expect(columnsLabel(['_id'])).toBe('ID')
})

test('an empty form reports what is required', () => {
  expect(problemsOf(initialValues(null), null)).toEqual({
    domainOrIp: 'Value is required!',
    column: 'Value is required!',
    publicColumns: 'Value is required!',
  })
})

test.each([
  ['domain', 'shop.example.com:8443', undefined],
  ['domain', 'localhost', undefined],
  ['domain', '203.0.113.7:80', undefined],
  ['domain', 'https://shop.example.com', 'Value is invalid!'],
  ['domain', 'shop.example.com:70000', 'Value is invalid!'],
  ['ip', '203.0.113.7', undefined],
  ['ip', '::1', undefined],
  ['ip', '203.0.113.256', 'Value is invalid!'],
  ['ip', 'shop.example.com', 'Value is invalid!'],
] as const)('as %s the text %s has the problem %s', (type, domainOrIp, problem) => {
  expect(problemsOf({ ...values, type, domainOrIp }, null).domainOrIp).toBe(problem)
})

test('a new expiry date must be in the future; a stored one may be past', () => {
  expect(problemsOf({ ...values, expiresOn: '2020-01-01' }, null)).toEqual({
    expiresOn: 'Choose a date in the future.',
  })
  expect(problemsOf({ ...values, expiresOn: '2999-01-01' }, null)).toEqual({})
  const passed = aRemoteAccess({ expiresAt: '2020-01-01T12:00:00.000Z' })
  expect(problemsOf(initialValues(passed), passed)).toEqual({})
})

test('the request quotes names, has no sub-domains for an IP address, and keeps the time of an unchanged day', () => {
  expect(toAccess({ ...values, column2: 'Zip', domainOrIp: ' shop.example.com ' }, null)).toEqual({
    type: 'domain',
    domainOrIp: 'shop.example.com',
    includeSubDomains: true,
    filter: '{"Email":"{{Email}}","Zip":"{{Zip}}"}',
    publicColumns: '"First Name" City',
    expiresAt: null,
  })
  expect(toAccess({ ...values, type: 'ip', domainOrIp: '::1' }, null).includeSubDomains).toBe(false)
  expect(toAccess({ ...initialValues(access), isPaused: true }, access)).toMatchObject({
    expiresAt: '2026-11-05T08:30:15.000Z',
    isPaused: true,
  })
  expect(toAccess({ ...initialValues(access), expiresOn: '' }, access).expiresAt).toBeNull()
})

test('columns that look personal are detected', () => {
  expect(sensitiveOf(['First Name', 'Email', 'Mobile', 'City'])).toEqual(['Email', 'Mobile'])
})

test.each<[string, Partial<AccessValues>]>([
  ['a column', { publicColumns: ['City', 'Email'] }],
  ['another domain', { domainOrIp: 'example.org' }],
  ['another type', { type: 'ip' }],
  ['another authentication', { column: '_id' }],
  ['a second column', { column2: 'Zip' }],
])('%s may give away more than is stored', (_, part) => {
  expect(widens({ ...values, ...part }, aRemoteAccess())).toBe(true)
})

test.each<[string, Partial<AccessValues>]>([
  ['a pause', { isPaused: true }],
  ['fewer columns', { publicColumns: ['City'] }],
  ['no sub-domains', { includeSubDomains: false }],
])('%s gives away no more than is stored', (_, part) => {
  expect(widens({ ...values, ...part }, aRemoteAccess())).toBe(false)
})
