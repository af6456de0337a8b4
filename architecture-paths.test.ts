import { expect, test } from 'vitest'
import { find, isTest, read, withoutComments } from './architecture-files.ts'

// Links to screens use the path builder, which keeps all addresses in one file.

const builder = 'web/src/lib/paths.ts'

/** Paths of calls (`/contact-service/v1/…`) do not count: the contract has them. */
const namesScreen = (code: string): boolean =>
  /['"`]\/(?:home|dashboards|downloads|module|contact-service|iam|register|forgot-password|reset-password|confirm-sender)\b(?!\/v1\/)/.test(
    code,
  ) || /(?:to=|navigate\()['"`{]*\//.test(code)

test('only the path builder contains screen paths', () => {
  const sources = find('web/src/**/*.{ts,tsx}').filter((file) => !isTest(file))
  expect(sources.filter((file) => namesScreen(withoutComments(read(file))))).toEqual([builder])
})

test('the rule detects what it forbids', () => {
  for (const code of ['to="/"', "navigate('/')", "path: '/iam/audit'", '`/contact-service/documents/${id}`']) {
    expect(namesScreen(code)).toBe(true)
  }
  expect(namesScreen("path: '/contact-service/v1/offers'")).toBe(false)
})
