import { writeFileSync } from 'node:fs'
import { parseSync, Visitor } from 'oxc-parser'
import { expect, test } from 'vitest'
import { find, isTest, read } from './architecture-files.ts'

// Texts come from anyone. A regular expression whose time grows with the square of a text blocks all users (ADR 0109):
// / +$/ starts again at each blank. Read the text from its end, by parts, or with `trimmed`.

/** Expressions that are not judged as fast, and why their texts are harmless. Prefer another way to read the text. */
const bounded: Record<string, string> = {
  [String.raw`/^([a-z\d_]([a-z\d_-]{0,61}[a-z\d])?)(\.[a-z\d_]([a-z\d_-]{0,61}[a-z\d])?)*$/i`]:
    'isHost reads settings of the operator, of at most 253 characters.',
  [String.raw`/^[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/i`]:
    'Domains of remote accesses have at most 253 characters.',
  [String.raw`/^(?!.*(?:url|expression|javascript|@import|behavior|image-set)\b)[^\\<>{}]*$/is`]:
    'Begins at the start only, and goes through the text once for the words and once for the signs.',
  [String.raw`/\s*(?:"((?:[^"]|"")*)"|([^\s"]\S*))(?=\s|$)|\s+$/y`]:
    'Sticky, so that it is tried at one place. It is sometimes judged as if it were tried at each.',
}

/** Expressions composed of texts, by file: each is anchored, or made of constants that do not repeat characters. */
const putTogether: Record<string, string> = {
  'contract/src/email-address.ts': 'Reads a part of an address, which has at most 64 characters.',
  'contract/src/identities.ts': 'Counts digits, at most three at a time.',
  'domain/src/dashboards/expression.ts': 'One literal, written as text.',
  'server/src/modules/delivery/http-secrets.ts': 'Blanks between two braces and a word.',
  'server/src/modules/filters/filter-pattern.ts': 'Only checks whether it can be read: it never runs here.',
  'web/src/domain/filters/stages/filter-values.ts': 'Only checks whether it can be read: it never runs here.',
  'web/src/ui/chart/chart-image.ts': 'Reads one attribute of a chart that the page has drawn.',
}

const sources = find('{server,contract,domain,web,page-script}/src/**/*.{ts,tsx}').filter((file) => !isTest(file))

type Found = { file: string; pattern: string; flags: string }

function expressionsOf(file: string): { literals: Found[]; isPutTogether: boolean } {
  const literals: Found[] = []
  let isPutTogether = false
  const visitor = new Visitor({
    Literal(node) {
      if ('regex' in node) literals.push({ file, ...node.regex })
    },
    NewExpression({ callee }) {
      isPutTogether ||= callee.type === 'Identifier' && callee.name === 'RegExp'
    },
  })
  visitor.visit(parseSync(file, read(file)).program)
  return { literals, isPutTogether }
}

const files = sources.map((file) => ({ file, ...expressionsOf(file) }))

/** Returns whether an expression certainly takes one pass, like most, and need not be judged. */
function isPlain({ pattern, flags }: Found): boolean {
  const signs = pattern.replaceAll(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/g, 'x')
  const repeated = [...signs.matchAll(/[*+]|\{\d+,\}/g)]
  if (repeated.length === 0 || /^x[*+]$/.test(signs)) return true
  // One repeated character after the start of the text is tried once.
  const isAnchored = signs.startsWith('^') && !flags.includes('m') && !/\(\?[=!<]/.test(signs)
  return isAnchored && repeated.length === 1 && !hasChoice(signs) && signs[(repeated[0]?.index ?? 0) - 1] !== ')'
}

/** Returns whether a `|` is outside of groups, after which a `^` before it does not apply. */
function hasChoice(signs: string): boolean {
  let depth = 0
  for (const sign of signs) {
    if (sign === '|' && depth === 0) return true
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0
  }
  return false
}

// Judging an expression takes a tenth of a second, and all of them a minute, so the results are kept in a file. A new
// expression is judged by this test, which adds it to the file.
const judgedFile = 'architecture-expressions.json'

const written = ({ pattern, flags }: Found): string => `/${pattern}/${flags}`

/** Returns the judgement of each expression that is not plain or an exception, by its text. */
async function judge(all: Found[]): Promise<Record<string, string>> {
  const kept = JSON.parse(read(judgedFile)) as Record<string, string>
  const needed = all.filter((each) => !isPlain(each) && !(written(each) in bounded))
  const isComplete = needed.every((each) => written(each) in kept)
  if (isComplete && Object.keys(kept).length === new Set(needed.map(written)).size) return kept
  // The same on all platforms, without a separate program for each.
  process.env['RECHECK_SYNC_BACKEND'] = 'pure'
  const { checkSync } = await import('recheck')
  const judged: Record<string, string> = {}
  for (const each of needed.toSorted((a, b) => (written(a) < written(b) ? -1 : 1))) {
    const text = written(each)
    judged[text] = kept[text] ?? checkSync(each.pattern, each.flags, { timeout: 120_000 }).status
  }
  const safe = Object.entries(judged).filter(([, status]) => status === 'safe')
  writeFileSync(judgedFile, `${JSON.stringify(Object.fromEntries(safe), null, 2)}\n`)
  return judged
}

test('no regular expression takes quadratic time', { timeout: 600_000 }, async () => {
  const literals = files.flatMap((each) => each.literals)
  const judged = await judge(literals)
  expect(literals.length).toBeGreaterThan(300)
  const slow = literals.filter(({ pattern, flags }) => (judged[`/${pattern}/${flags}`] ?? 'safe') !== 'safe')
  expect(slow.map(({ file, pattern, flags }) => `${file}: /${pattern}/${flags}`)).toEqual([])
})

test('every dynamically built regular expression has a reason why it is fast', () => {
  expect(files.filter(({ isPutTogether }) => isPutTogether).map(({ file }) => file)).toEqual(Object.keys(putTogether))
})

test('every exception is needed', () => {
  const literals = files.flatMap((each) => each.literals).map(({ pattern, flags }) => `/${pattern}/${flags}`)
  expect(Object.keys(bounded).filter((each) => !literals.includes(each))).toEqual([])
})
