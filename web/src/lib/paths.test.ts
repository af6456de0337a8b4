import { expect, test } from 'vitest'
import { paths } from './paths.ts'

// Links in emails, bookmarks and other products lead to these addresses: a change breaks them.
test('every screen keeps its address', () => {
  const examples = Object.entries(paths).map(([name, path]) => [name, (path as (part: string) => string)('')])
  expect(Object.fromEntries(examples)).toMatchInlineSnapshot(`
    {
      "accounts": "/iam/accounts",
      "audit": "/iam/audit",
      "confirmSender": "/confirm-sender",
      "contact": "/contact-service/documents/",
      "contacts": "/contact-service/documents",
      "dashboards": "/dashboards",
      "deletes": "/contact-service/deletes",
      "downloads": "/downloads",
      "entry": "/",
      "exports": "/contact-service/exports",
      "forgotPassword": "/forgot-password",
      "home": "/home",
      "iam": "/iam",
      "iamScreen": "/iam/",
      "identities": "/iam/identities",
      "imports": "/contact-service/imports",
      "indexes": "/contact-service/indexes",
      "listService": "/contact-service",
      "module": "/module/",
      "ownDashboards": "/contact-service/dashboards",
      "people": "/iam/people",
      "person": "/iam/people/",
      "policies": "/iam/policies",
      "profile": "/module/user-profile",
      "register": "/register",
      "remoteAccess": "/contact-service/access",
      "resetPassword": "/reset-password",
      "segment": "/contact-service/segments/",
      "segments": "/contact-service/segments",
    }
  `)
})

test('addresses encode a query object, and accept a query string unchanged', () => {
  expect(paths.imports({ name: 'Spring & summer' })).toBe('/contact-service/imports?name=Spring+%26+summer')
  expect(paths.exports({ schedules: '1' })).toBe('/contact-service/exports?schedules=1')
  expect(paths.ownDashboards({ dashboard: 'a1' })).toBe('/contact-service/dashboards?dashboard=a1')
  expect(paths.dashboards({ dashboard: 'a1' })).toBe('/dashboards?dashboard=a1')
  expect(paths.downloads({ search: 'May' })).toBe('/downloads?search=May')
  expect(paths.identities({ search: 'a@example.com' })).toBe('/iam/identities?search=a%40example.com')
  expect(paths.contacts({ filter: '[]' })).toBe('/contact-service/documents?filter=%5B%5D')
  expect(paths.contacts('?page=2')).toBe('/contact-service/documents?page=2')
  expect(paths.contacts({})).toBe('/contact-service/documents')
  expect([paths.contact('c1'), paths.module('crm'), paths.iamScreen('groups')]).toEqual([
    '/contact-service/documents/c1',
    '/module/crm',
    '/iam/groups',
  ])
})
