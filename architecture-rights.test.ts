import { expect, test } from 'vitest'
import { find, isTest, read, withoutComments } from './architecture-files.ts'

// Conditions of a policy judge a request. Where a right is asked for without one, they count as met: people who hold it under
// conditions get all that is done by it then, unless something else judges the work itself.

/** Each right of the server that is asked for without a request: `file: the question`, how often, and what judges the work. */
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
