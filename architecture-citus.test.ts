import { describe, expect, test } from 'vitest'
import { isTest, find, moduleOf, read, withoutComments } from './architecture-files.ts'

// With Citus, the server that stores an account inserts, updates and deletes its rows itself, and only immutable
// functions may be applied to their columns. An INSERT … SELECT with a stable one gets a condition on a distribution
// column, which account tables lack. With a materialized CTE, the rows pass through the coordinator, where any function
// may be used (ADR 0071).

/** A function at the top level of a file. */
type Definition = { file: string; name: string; code: string }

const sources = find('server/src/{modules,platform}/**/*.ts').filter((file) => !isTest(file))
const definitions: Definition[] = sources.flatMap((file) =>
  withoutComments(read(file))
    .split(/^(?=(?:export )?(?:async )?(?:function|const) )/m)
    .flatMap((code) => {
      const name = /^(?:export )?(?:async )?(?:function\*?|const) (\w+)/.exec(code)?.[1]
      return name ? [{ file, name, code }] : []
    }),
)

const byName = Map.groupBy(definitions, ({ name }) => name)

/**
 * Returns the functions and constants that a function uses, directly or indirectly, from its own file before others.
 * Functions that run their own statement are left out.
 */
function usedBy(start: Definition, seen = new Set<Definition>()): Set<Definition> {
  if (seen.has(start)) return seen
  seen.add(start)
  for (const name of new Set(start.code.match(/\b[a-zA-Z]\w+\b(?=[(,)}\s`])/g))) {
    const found = byName.get(name) ?? []
    const own = found.filter(({ file }) => file === start.file)
    const others = () => found.filter(({ file }) => isImported(name, start.file, file))
    const parts = (own.length > 0 ? own : others()).filter(({ code }) => !code.includes('.execute('))
    for (const each of parts) usedBy(each, seen)
  }
  return seen
}

/** Returns whether a name that a file imports may come from another file: a module, or a relative path. */
function isImported(name: string, file: string, from: string): boolean {
  const imports = read(file).matchAll(/^import (?:type )?\{([^}]*)\} from '([^']+)'/gm)
  return [...imports].some(([, names = '', path = '']) => {
    if (!new RegExp(`\\b${name}\\b`).test(names)) return false
    return path.startsWith('#') ? [moduleOf(from), 'platform'].includes(path.slice(1).split('/')[0] ?? '') : true
  })
}

const stable =
  /\b(?:to_char|to_date|to_timestamp|concat|concat_ws|format|to_jsonb?|jsonb?_build_\w+|array_to_string|age|now|to_regclass)\(|::text::(?:date|timestamp)/

const isWrite = (code: string): boolean =>
  /\bINSERT INTO \$\{[^]*?\bSELECT\b|\bUPDATE \$\{|\bDELETE FROM \$\{|isImmutable: true/.test(code)
const isThroughCoordinator = (code: string): boolean => code.includes('AS MATERIALIZED')

/** Conditions composed by users, which may contain any function. */
const composed = /\$\{\w+\.where\b/

/** Returns the stable functions and users' conditions of a statement, each with our function that contains it. */
function faultsOf(write: Definition): string[] {
  return [...usedBy(write)].flatMap(({ file, name, code }) => {
    const found = stable.exec(code)?.[0] ?? composed.exec(code)?.[0]
    return found ? [`${write.name} uses ${found} in ${name} of ${file}`] : []
  })
}

const writes = definitions.filter(({ file, code }) => file.endsWith('.queries.ts') && isWrite(code))
const ofAccounts = writes.filter(({ code }) => /\b(accountTable|stageTable|createFilled)\(/.test(code))

describe('SQL that writes from account tables', () => {
  test('is detected together with the functions it uses', () => {
    const names = ofAccounts.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['insertEntries', 'insertStagedEvents', 'insertDeleteTargets', 'matchRows']),
    )
    const used = [...usedBy(ofAccounts.find(({ name }) => name === 'insertEntries')!)].map(({ name }) => name)
    expect(used).toEqual(expect.arrayContaining(['searchableText', 'foldAccents', 'splitWords']))
  })

  test('is reported for a stable function at any depth', () => {
    const planted = { file: 'server/src/modules/imports/loading/keys.queries.ts', name: 'planted' }
    expect(faultsOf({ ...planted, code: 'keyText(value)' })).toEqual([
      'planted uses to_char( in valueText of server/src/modules/contacts/fields.queries.ts',
    ])
  })

  test('is reported for user conditions unless it goes through the coordinator', () => {
    const deletes = ofAccounts.find(({ name }) => name === 'insertDeleteTargets')!
    expect(isThroughCoordinator(deletes.code)).toBe(true)
    expect(faultsOf(deletes)).toEqual([
      'insertDeleteTargets uses ${matching.where in insertDeleteTargets of server/src/modules/deletes/deletes.queries.ts',
    ])
  })

  test.each(ofAccounts.filter(({ code }) => !isThroughCoordinator(code)))(
    '$name: uses only immutable functions',
    (write) => expect(faultsOf(write)).toEqual([]),
  )
})
