import { expect, test } from 'vitest'
import { find, isTest, read, withoutComments } from './architecture-files.ts'

// The limits on what calls may read rely on one place that runs their handlers.

const others = [
  // Public calls and pages of other sites, which read single contacts.
  'server/src/modules/remote-access/door/door.routes.ts',
  'server/src/modules/remote-access/page-script.ts',
  // Bytes of files and photos, which are streamed.
  'server/src/modules/files/files.routes.ts',
  'server/src/modules/profile/profile.routes.ts',
  // For operators and browsers.
  'server/src/platform/http/openapi.ts',
  'server/src/platform/http/operations.ts',
  'server/src/platform/http/web-app.ts',
]

const serves = (code: string): boolean => /\b(?:app|scope)\.(?:route|get|post|put|delete)\(/.test(code)

test('calls are served only by the function that counts what they read', () => {
  const sources = find('server/src/**/*.ts').filter((file) => !isTest(file))
  const found = sources.filter((file) => serves(withoutComments(read(file))))
  expect(found.toSorted()).toEqual([...others, 'server/src/platform/http/serving.ts'].toSorted())
  const serving = withoutComments(read('server/src/platform/http/serving.ts'))
  // No other code runs handlers.
  expect(serving.match(/\b(?:handler|read)\((?:handlerContext|speculativeContext)/g)).toHaveLength(2)
  expect(serving.match(/countRead\(reply, context, (?:work\)|\(\) => read\()/g)).toHaveLength(2)
})

test('the rule detects what it forbids', () => {
  expect(serves("scope.get('/api/x', async () => rows)")).toBe(true)
})
