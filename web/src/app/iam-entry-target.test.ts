import { expect, test } from 'vitest'
import { iamEntryTarget } from './iam-entry-target.ts'

const paths = ['/iam/identities', '/iam/groups', '/iam/policies']
const target = (query: string, last = '/iam/groups'): string => iamEntryTarget(new URLSearchParams(query), last, paths)

test('the address asks for a screen by its path or the end of it, and takes the search along', () => {
  expect(target('route=identities')).toBe('/iam/identities')
  expect(target('route=/iam/Identities/')).toBe('/iam/identities')
  expect(target('route=policies&search=mara%20klein')).toBe('/iam/policies?search=mara+klein')
})

test('without one it leads to the last page viewed, and that is the policies at first', () => {
  expect(target('')).toBe('/iam/groups')
  expect(target('search=x')).toBe('/iam/groups?search=x')
  expect(target('', '/iam/groups?search=every')).toBe('/iam/groups?search=every')
  expect(target('', '/iam/audit')).toBe('/iam/policies')
  expect(target('', '/contact-service/imports')).toBe('/iam/policies')
})

test('no other place can be reached by it', () => {
  for (const route of ['//evil.example', 'https://evil.example', '../contact-service', 'nowhere']) {
    expect(target(`route=${encodeURIComponent(route)}`)).toBe('/iam/groups')
  }
})
