import { expect, test } from 'vitest'
import type { Db } from '#platform/database.ts'
import { explain, withoutStoredValues } from './import-reason.ts'

const ofState = (code: string, message: string) => Object.assign(new Error(message), { code })

test.each([
  [
    'a statement that is wrong',
    ofState('42725', 'not unique'),
    'An error in the portal stopped the import. Details: not unique',
  ],
  ['code that is wrong', new TypeError('no x'), 'An error in the portal stopped the import. Details: no x'],
  ['a conflict', ofState('40001', 'a conflict'), 'The import was interrupted. Details: a conflict'],
])('the reason for a failure by %s is told apart, and tried again', async (_what, error, reason) => {
  // Only a refused value of an index makes it ask the database.
  const explained = await explain({} as Db, 1, { file_path: 'people.csv' }, error)
  expect(explained).toEqual({ reason, isFinal: false })
  expect(withoutStoredValues(reason)).toBe(reason.slice(0, reason.indexOf(' Details')))
})
