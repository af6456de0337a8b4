import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// docs/spec-coverage.md lists a test for each rule of the specification. Checks that each file in it exists and has the
// tests with the titles listed after it.

const read = (file: string): string => readFileSync(file, 'utf8')
const tests = globSync('{.,{contract,domain,page-script,scripts,server,web,e2e}/**}/*.{test,spec}.{ts,tsx,mjs}', {
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
const namedTest = /^`([^`]+)`((?:[ ,]*"[^"]+")*)[ ,;]*$/

test.each(rows)('$section: $rule', ({ proof }) => {
  const named = proof.split(/(?=`[^`"]+\.(?:test|spec)\.\w+`)/)
  expect(named.filter((text) => !text.includes('"'))).toEqual([])
  expect(named.flatMap(faultsOf)).toEqual([])
})

// The documents on security refer to tests in the same way, within sentences, or to the file alone.
test.each(['docs/security.md', 'docs/asvs.md'])('%s names only existing tests', (document) => {
  const named = read(document).match(/`[^`]+\.(?:test|spec)\.\w+`(?:,? "[^"]+")*/g) ?? []
  expect(named).not.toHaveLength(0)
  expect(named.flatMap(faultsOf)).toEqual([])
})

/** How many requirements of levels 1 and 2 each section of ASVS 5.0.0 has: 1.1 two, 1.2 nine, and so on. */
const asvsSections = {
  1: [2, 9, 11, 3, 2],
  2: [3, 3, 4, 1],
  3: [0, 2, 4, 6, 5, 0, 2],
  4: [3, 1, 2, 4],
  5: [1, 3, 2, 3],
  6: [3, 12, 4, 4, 5, 3, 0, 4],
  7: [3, 4, 2, 5, 2, 2],
  8: [2, 3, 1, 1],
  9: [3, 4],
  10: [2, 2, 4, 11, 5, 2, 3],
  11: [2, 3, 3, 4, 1, 1],
  12: [3, 2, 4],
  13: [1, 5, 2, 5],
  14: [2, 4, 3],
  15: [3, 3, 7],
  16: [1, 5, 4, 3, 3],
  17: [1, 4, 2],
}

test('docs/asvs.md lists each requirement of levels 1 and 2 once', () => {
  const all = Object.entries(asvsSections).flatMap(([chapter, sections]) =>
    sections.flatMap((count, section) =>
      Array.from({ length: count }, (_, at) => `${chapter}.${section + 1}.${at + 1}`),
    ),
  )
  expect(all).toHaveLength(253)
  const cells = [...read('docs/asvs.md').matchAll(/^\| (\d+\.\d[\d., –]*?) +\| [12](?:, 2)? +\|/gm)]
  const listed = cells.flatMap(([, cell = '']) =>
    cell.split(', ').flatMap((part) => {
      const [first = '', last = first] = part.split(' – ')
      return all.slice(all.indexOf(first), all.indexOf(last) + 1)
    }),
  )
  expect(listed).toEqual(all)
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
