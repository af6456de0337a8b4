import { expect, test } from 'vitest'
import { find, isTest, read, withoutComments } from './architecture-files.ts'

// Forms show what the server refuses by one function, and forms and server say the same texts.

const sources = find('{contract,server,web}/src/**/*.{ts,tsx}').filter((file) => !isTest(file))

/** The web app's shell loads the texts of errors, and not those of forms. */
const owners = ['contract/src/errors.ts', 'contract/src/messages.ts']

const repeatsText = (code: string): boolean => /Value is (?:required|duplicate)!/.test(code)

/** Maps a taken name to a field, or guesses a code from its text. */
const readsTakenName = (code: string): boolean => /'name_taken'|\bmessage === messages\.duplicate\b/.test(code)

/** Readers of the code beside `useSubmit`, with their reasons. */
const otherReaders: Record<string, string> = {
  'web/src/domain/filters/conditions/quiet-index.tsx': 'No form: an index with that name already exists.',
}

const found = (files: string[], isFound: (code: string) => boolean): string[] =>
  files.filter((file) => isFound(withoutComments(read(file))))

test('texts of required and duplicate values stand in one place', () => {
  expect(found(sources, repeatsText)).toEqual(owners)
})

test('only useSubmit shows that a name is taken', () => {
  const web = sources.filter((file) => file.startsWith('web/'))
  expect(found(web, readsTakenName)).toEqual([...Object.keys(otherReaders), 'web/src/lib/submit.ts'])
})

test('the rules see what they forbid', () => {
  expect(repeatsText("form.setFieldError('name', 'Value is duplicate!')")).toBe(true)
  expect(readsTakenName("if (isApiError(error, 'name_taken')) show()")).toBe(true)
  expect(readsTakenName('if (message === messages.duplicate) refuseName()')).toBe(true)
})
