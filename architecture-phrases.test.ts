import { expect, test } from 'vitest'
import { find, isTest, read } from './architecture-files.ts'

// In comments and texts, the verb or the noun comes first. These phrases are banned; the list stays short.

/** Anywhere in comments, names and texts. */
const phrases: Record<string, string> = {
  whoever: 'name the person or program: users, callers, clients',
  somebody: 'name the person, or use the passive',
  nobody: '"no user", "no caller", or turn the sentence around',
  anew: 'again',
  lately: 'recently',
  'so many': 'give the number, or "this many"',
  'is told': 'says, shows, reports, is notified',
  'are told': 'say, show, report, are notified',
}

/** At the start of a sentence of a comment. */
const starts: Record<string, string> = {
  Answers: 'Returns, or Sends for a response',
  What: 'the noun that is meant',
  Who: 'the noun that is meant: callers, users',
}

/** Without SQL files: released migrations are never edited, and the schema is made from them. */
const files = find('{*,{bench,contract,domain,e2e,page-script,scripts,server,web}/**/*}.{ts,tsx,mjs,css}').filter(
  // This file contains the phrases themselves.
  (file) => file !== 'architecture-phrases.test.ts',
)

const comments = /\/\*[^]*?\*\/|(?:^[ \t]*\/\/.*\n)+|(?<=[\s,;{(])\/\/ .*$/gm

type Text = { place: string; text: string }

/** Returns the comments of a file. Consecutive lines of a comment are one text. */
function commentsOf(file: string): Text[] {
  const code = read(file)
  return [...code.matchAll(comments)].map(({ 0: comment, index }) => ({
    place: `${file}:${code.slice(0, index).split('\n').length}`,
    text: comment
      .replaceAll(/^[ \t]*(?:\/\*+|\*\/|\*|\/\/+)[ \t]?|\*\/$/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  }))
}

/** Returns names and texts, by line. A word in quotes is a value, such as 'nobody' in the database. */
function codeOf(file: string): Text[] {
  const code = read(file).replaceAll(comments, (comment) => comment.replaceAll(/[^\n]/g, ''))
  const lines = code.replaceAll(/(['"`])\w+\1/g, '').split('\n')
  return lines.map((text, index) => ({ place: `${file}:${index + 1}`, text }))
}

/** Returns every phrase in the text, with its place. */
function foundIn({ place, text }: Text, pattern: RegExp, words: Record<string, string>): string[] {
  return [...text.matchAll(pattern)].map(({ 1: phrase = '' }) => {
    const instead = words[phrase] ?? words[phrase.toLowerCase()] ?? ''
    return `${place} "${phrase}", better: ${instead}`
  })
}

const anywhere = new RegExp(`\\b(${Object.keys(phrases).join('|')})\\b`, 'gi')
const atStart = new RegExp(`(?:^|[.:;!?] |@returns )(${Object.keys(starts).join('|')})\\b(?![?'’])`, 'g')

function faultsOf(file: string): string[] {
  const texts = commentsOf(file)
  // Titles and names in tests are exempt: users do not see them.
  const everywhere = isTest(file) ? texts : [...texts, ...codeOf(file)]
  return [
    ...texts.flatMap((text) => foundIn(text, atStart, starts)),
    ...everywhere.flatMap((text) => foundIn(text, anywhere, phrases)),
  ]
}

test('comments are checked', () => {
  expect(files).not.toHaveLength(0)
  expect(commentsOf('architecture-files.ts')[0]?.text).toBe('How the architecture tests look at the repository.')
})

test('no comment, name or text contains a banned phrase', () => {
  expect(files.flatMap(faultsOf)).toEqual([])
})
