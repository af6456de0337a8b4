import { expect, test } from 'vitest'
import { find, isTest, read, withoutComments } from './architecture-files.ts'

// Forms show refusals of the server with one function, which reads error codes. Forms and server use the same texts.

const sources = find('{contract,server,web}/src/**/*.{ts,tsx}').filter((file) => !isTest(file))

const repeatsText = (code: string): boolean => /Value is (?:required|duplicate)!/.test(code)

/** Maps a taken name to a field. */
const readsTakenName = (code: string): boolean => code.includes("'name_taken'")

/** Reads the problems of fields one by one. */
const readsFieldProblems = (code: string): boolean => /\bfieldProblems\b/.test(code)

/** Guesses the problem from a text. */
const comparesMessage = (code: string): boolean =>
  /(?<!typeof [\w.]*)\bmessage\s*[=!]==?(?!=|\s*(?:null|undefined)\b)|[=!]==?\s*[\w.]+\.message\b/.test(code) ||
  /\bmessage\.(?:includes|startsWith|endsWith|indexOf|match|replace|search)\(|\.test\([\w.]*\bmessage\)/.test(code)

const submit = 'web/src/lib/submit.ts'

/** Other sources that may do so, with their reasons. */
const takenNameReaders: Record<string, string> = {
  'web/src/domain/filters/conditions/quiet-index.tsx': 'No form: an index with that name already exists.',
  [submit]: 'Shows it.',
}
const fieldProblemReaders: Record<string, string> = {
  'web/src/features/imports/new-import/preview-tab.tsx': 'No form: the file that is previewed has one problem.',
  'web/src/lib/api/api-error.ts': 'Defines them.',
  [submit]: 'Shows them.',
}
const messageReaders: Record<string, string> = {
  'web/src/domain/filters/draft.ts': 'Problems that the browser itself has found.',
  'web/src/ui/feedback/notify.ts': 'One message replaces the same one.',
}

const found = (files: string[], isFound: (code: string) => boolean): string[] =>
  files.filter((file) => isFound(withoutComments(read(file))))

test('the texts for required and duplicate values are defined in one file', () => {
  expect(found(sources, repeatsText)).toEqual(['contract/src/messages.ts'])
})

const web = sources.filter((file) => file.startsWith('web/'))

test('only useSubmit shows taken names', () => {
  expect(found(web, readsTakenName)).toEqual(Object.keys(takenNameReaders))
})

test('only useSubmit reads field problems', () => {
  expect(found(web, readsFieldProblems)).toEqual(Object.keys(fieldProblemReaders))
})

test('errors are distinguished by code, not by message', () => {
  expect(found(web, comparesMessage)).toEqual(Object.keys(messageReaders))
})

test('the rules detect what they forbid', () => {
  expect(repeatsText("form.setFieldError('name', 'Value is duplicate!')")).toBe(true)
  expect(readsTakenName("if (isApiError(error, 'name_taken')) show()")).toBe(true)
  expect(readsFieldProblems('for (const { field, message } of error.fieldProblems) mark(field, message)')).toBe(true)
  const comparing = [
    'if (message === messages.duplicate) refuseName()',
    'problems.some(({ message }) => message === tooManyRuns(maxRuns))',
    'error.message !== errors.not_signed_in.text',
    'errors.in_use.text === error.message',
    "error.message.startsWith('No file')",
    '/taken/.test(error.message)',
  ]
  expect(comparing.filter((code) => !comparesMessage(code))).toEqual([])
  const others = ['message === null', "typeof error.message === 'string'", 'show(error.message)']
  expect(others.filter(comparesMessage)).toEqual([])
})
