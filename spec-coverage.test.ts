import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// docs/spec-coverage.md lists a test for each rule of the specification. Checks that each file in it exists and has the
// tests with the titles listed after it.

const read = (file: string): string => readFileSync(file, 'utf8')
const tests = globSync('{.,{contract,page-script,scripts,server,web,e2e}/**}/*.{test,spec}.{ts,tsx,mjs}', {
  exclude: ['**/node_modules', '**/dist'],
})

const [, ...parts] = read('docs/spec-coverage.md').split(/^## /m)
const rows = parts.flatMap((part) =>
  [...part.matchAll(/^\| (?!Section |-)(.+?) \| (.+?) \| (.+) \|$/gm)].map(([, section, rule, proof = '']) => ({
    section,
    rule,
    proof,
  })),
)

test('each document of the specification has its table', () => {
  expect(parts.map((part) => part[0])).toEqual(['1', '2', '3', '4'])
  for (const part of parts) expect(part).toContain('\n| Section | Rule | Test |\n| --- | --- | --- |\n| ')
  const lines = read('docs/spec-coverage.md').match(/^\|.*$/gm) ?? []
  expect(rows.length + 2 * parts.length).toBe(lines.length)
})

/** `file.test.ts` "a title", "another" `another.spec.ts` "its title" */
const namedTest = /^`([^`]+)`((?:[ ,]*"[^"]+")+)[ ,;]*$/

test.each(rows)('$section: $rule', ({ proof }) => {
  expect(proof.split(/(?=`[^`"]+\.(?:test|spec)\.\w+`)/).flatMap(faultsOf)).toEqual([])
})

// docs/security.md refers to tests in the same way, within sentences.
const namedForSecurity = read('docs/security.md').match(/`[^`]+\.(?:test|spec)\.\w+`(?:,? "[^"]+")+/g) ?? []

test('docs/security.md names tests that are there', () => {
  expect(namedForSecurity).not.toHaveLength(0)
  expect(namedForSecurity.flatMap(faultsOf)).toEqual([])
})

/** Returns the missing file, or its missing titles. */
function faultsOf(named: string): string[] {
  const [, name = '', titles = ''] = namedTest.exec(named) ?? []
  const [file, ...others] = tests.filter((path) => path === name || path.endsWith(`/${name}`))
  if (file === undefined || others.length > 0) return [`one file: ${named}`]
  return titlesOf(titles)
    .filter((title) => !isTitleIn(read(file), title))
    .map((title) => `${name}: ${title}`)
}

function titlesOf(text: string): string[] {
  return [...text.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title)
}

/** Returns whether the title is the first argument of a call in the code. */
function isTitleIn(code: string, title: string): boolean {
  const inQuotes = ["'", '`'].map((quote) => `${quote}${title.replaceAll("'", String.raw`\'`)}${quote},`)
  const written = [...inQuotes, `"${title}",`]
  return written.some((text) =>
    code
      .split(text)
      .slice(0, -1)
      .some((before) => before.trimEnd().endsWith('(')),
  )
}
