import { expect, test } from 'vitest'
import { iamEntryTarget } from './iam-entry-target.ts'

const paths = ['/iam/identities', '/iam/groups', '/iam/policies']
const target = (query: string, last = '/iam/groups'): string => iamEntryTarget(new URLSearchParams(query), last, paths)

test('the address names a screen by its path or the end of it, and passes the search on', () => {
  expect(target('route=identities')).toBe('/iam/identities')
  expect(target('route=/iam/Identities/')).toBe('/iam/identities')
  expect(target('route=policies&search=mara%20klein')).toBe('/iam/policies?search=mara+klein')
})

test('without a route the last page viewed opens, by default the policies', () => {
  expect(target('')).toBe('/iam/groups')
  expect(target('search=x')).toBe('/iam/groups?search=x')
  expect(target('', '/iam/groups?search=every')).toBe('/iam/groups?search=every')
  expect(target('', '/iam/audit')).toBe('/iam/policies')
  expect(target('', '/contact-service/imports')).toBe('/iam/policies')
})

test('the route cannot lead to any other place', () => {
  for (const route of ['//evil.example', 'https://evil.example', '../contact-service', 'nowhere']) {
    expect(target(`route=${encodeURIComponent(route)}`)).toBe('/iam/groups')
  }
})
