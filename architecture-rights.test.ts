import { expect, test } from 'vitest'
import { find, isTest, read, withoutComments } from './architecture-files.ts'

// Conditions of a policy are checked against a request. If a right is checked without one, they count as met: people
// who hold it under conditions could then do everything that it allows, unless the work itself is checked otherwise.

/**
 * Checks of a right without a request in the server: `file: the check`, how often, and how the work itself is checked.
 */
const withoutRequest: Record<string, string> = {
  'server/src/modules/access/condition-renaming.ts: isAllowed(…, null) × 1':
    'which policies may name a field; no right',
  'server/src/modules/access/evaluator/route-access.ts: can(…, null) × 1': 'the words of a refusal',
  'server/src/modules/dashboards/saving.service.ts: refusal(…, null) × 1': 'each cell is judged by its searches then',
  'server/src/modules/delivery/delivered-file.service.ts: request: null × 2':
    'files of earlier releases, which keep no request; and links, whose delivery keeps it',
  'server/src/modules/imports/import-rights.ts: refusal(…, null) × 1': 'the export is judged once its fields are known',
  'server/src/modules/imports/import-rights.ts: request: null × 1':
    'imports of earlier releases, which keep no request',
  'server/src/modules/sign-in/entry/entry.service.ts: administers(…, null) × 2':
    'names of policies of another person, by a call that has no request of that right',
}

const questions = /\b(refusal|can|rows|administers|isAllowed)\((?:[^()]|\([^()]*\))*,\s*null,?\s*\)|\brequest: null\b/g

test('rights are checked without a request only where something else judges the work', () => {
  const found = find('server/src/**/*.ts')
    .filter((file) => !isTest(file))
    .flatMap((file) => {
      const asked = [...withoutComments(read(file)).matchAll(questions)].map(([text, call]) =>
        call === undefined ? text : `${call}(…, null)`,
      )
      return [...Map.groupBy(asked, (each) => each)].map(([question, all]) => `${file}: ${question} × ${all.length}`)
    })
  expect(
    found.toSorted(),
    'Judge the request itself, or ask for `any`, which takes a right without conditions.',
  ).toEqual(Object.keys(withoutRequest).toSorted())
})
