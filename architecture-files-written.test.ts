import { expect, test } from 'vitest'
import { find, isTest, read, withoutComments } from './architecture-files.ts'

// A single place gives up a file whose writer fails; otherwise the storage would wait for its bytes forever.

const ways = [
  // The place itself, for work that writes piece by piece.
  'server/src/platform/files/stored-file.ts',
  // The content is a stream that fails with its rows, and both are awaited.
  'server/src/modules/exports/export-file.service.ts',
  // The content is generated while it is read, and fails with it.
  'server/src/modules/reports/report-file.service.ts',
  // The content already exists.
  'server/src/modules/profile/profile.service.ts',
  'server/src/platform/jobs/room.ts',
]

const stores = (code: string): boolean => /\bstorage\.put\(/.test(code)

test('files are written by the function that completes or abandons them', () => {
  const sources = find('server/src/**/*.ts').filter((file) => !isTest(file) && !file.includes('/modules/files/'))
  expect(sources.filter((file) => stores(withoutComments(read(file)))).toSorted()).toEqual(ways.toSorted())
})

test('the rule detects what it forbids', () => {
  expect(stores('const stored = this.storage.put(key, stream)')).toBe(true)
})
