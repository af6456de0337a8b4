import { describe, expect, test } from 'vitest'
import { find, isTest, read, withoutComments } from './architecture-files.ts'

// Names compare by `foldName` of the domain, and are unique by the key that the portal stores (ADR 0082). A database
// folds by its collation, and JavaScript by other rules: a name could be free for one and taken for the other.

/** SQL that changes the case of letters, but does not decide which names are equal: `file: text`, and the reason. */
const inSql: Record<string, string> = {
  'server/src/modules/access/people/people.queries.ts: "userName"': 'order of a list',
  'server/src/modules/access/people/people.queries.ts: ${part}': 'search as you type',
  'server/src/modules/access/people/people.queries.ts: ${sql.raw(': 'search as you type',
  'server/src/modules/audit/audit-log.queries.ts: ${part}': 'search as you type',
  'server/src/modules/audit/audit-log.queries.ts: ${sql.ref(': 'search as you type',
  'server/src/modules/contacts/event-fields.queries.ts: name': 'order of a list',
  'server/src/modules/contacts/lookup-key.ts: ${sql.join(': 'values of contacts, in the index and in the look-up',
  'server/src/modules/dashboards/dashboards.queries.ts: ${find}': 'search as you type',
  'server/src/modules/dashboards/dashboards.queries.ts: d.name': 'search and order; dashboards may share a name',
  'server/src/modules/dashboards/dashboards.queries.ts: page.name': 'order of a list',
  'server/src/modules/downloads/downloads.queries.ts: ILIKE': 'search as you type',
  'server/src/modules/filters/filter-text.ts: ${foldAccents(': 'search in values of contacts',
  'server/src/modules/filters/filter-text.ts: t.folded': 'search in values of contacts',
  'server/src/modules/imports/events/event-import.queries.ts: ${trimmedText(':
    'values of contacts, as dedup compares them',
  'server/src/modules/imports/loading/keys.queries.ts: ${scope}::text || ${sql.join(':
    'values of contacts: keys are made and compared by SQL',
  'server/src/modules/imports/loading/keys.queries.ts: regexp_replace(': 'letters of ASCII',
  'server/src/modules/remote-access/rating/rating.queries.ts: ${trimmedText(':
    'values of contacts, as lookup-key.ts compares them',
  'server/src/modules/scheduler/crons/crons.queries.ts: ${search}': 'search in emails',
  'server/src/modules/scheduler/crons/crons.queries.ts: c.emails': 'search in emails',
  'server/src/platform/priority.ts: processOf(': 'no SQL',
}

/** Code that changes the case of names, but does not decide which names are equal: `file: text`, and the reason. */
const inCode: Record<string, string> = {
  'domain/src/dashboards/expression.ts: name': 'functions of expressions, in ASCII',
  'page-script/src/elements.ts: column': 'the script imports nothing; both sides are on the same page',
  'server/src/modules/delivery/http-secrets.ts: name': 'headers of HTTP, in ASCII',
  'server/src/modules/delivery/send-http.ts: name': 'headers of HTTP, in ASCII',
  'server/src/platform/http/security-headers.ts: name': 'headers of HTTP, in ASCII',
  'web/src/domain/charts/maps/region-names.ts: name': 'regions of the bundled maps',
  'web/src/app/screens.ts: pathname': 'addresses of screens, in ASCII',
  'web/src/features/accounts/accounts-page.tsx: Value': 'search as you type',
  'web/src/features/sign-in/account-choice.tsx: Value': 'search as you type',
  'web/src/features/indexes/index-columns.tsx: fieldName1': 'order of a list',
  'web/src/features/indexes/index-columns.tsx: shownName': 'order of a list',
  'web/src/features/list-service-configuration/switch-panel.tsx: title': 'a label for screen readers',
  'web/src/ui/form/multi-chooser.tsx: name': 'search as you type',
}

const sources = find('{contract,domain,page-script,server,web}/src/**/*.{ts,tsx}').filter((file) => !isTest(file))
// The only file that may fold names.
const fold = 'domain/src/names.ts'

/** Functions and operators of SQL that change or ignore case, with the start of their argument. */
const caseInSql = /\b(?:lower|upper|initcap|casefold)\(([^()\n]*\(?)|\b(ILIKE|citext)\b/g

const changedInSql = (code: string): string[] =>
  [...withoutComments(code).matchAll(caseInSql)].map(([, what, word = '']) => what ?? word)

const sqlFaults = (file: string, code: string): string[] =>
  /\bsql(?:<[^`]*>)?`|\bSELECT\b/.test(code)
    ? changedInSql(code)
        .map((what) => `${file}: ${what}`)
        .filter((fault) => !(fault in inSql))
    : []

/**
 * Finds the changed text in `name.toLowerCase()`, `row.fieldName?.trim().toUpperCase()` or `nameOf(row).toLowerCase()`.
 */
const caseChanges = /([\w$]+)(?:\([^()]*\))?\)?\??(?:\.trim\(\))?\.to(?:Locale)?(?:Lower|Upper)Case\(/g
const isOfName = (what: string): boolean =>
  /^(?:\w*[nN]ames?(?:Of)?\d?|\w*[tT]itle|\w*[cC]olumn|\w*[fF]ield|Value)$/.test(what)

const changedInCode = (code: string): string[] =>
  [...withoutComments(code).matchAll(caseChanges)].map(([, what = '']) => what)

const nameFaults = (file: string, code: string): string[] =>
  changedInCode(code)
    .filter(isOfName)
    .map((what) => `${file}: ${what}`)
    .filter((fault) => !(fault in inCode))

describe('names are compared by a single fold', () => {
  test('checks the source files', () => expect(sources.length).toBeGreaterThan(500))

  test('defines the fold once, in domain, for browser and server', () => {
    const defines = /\b(?:function|const) foldName\b/
    expect(sources.filter((file) => defines.test(read(file)))).toEqual([fold])
  })

  test('does not fold names in SQL', () => {
    const server = sources.filter((file) => file.startsWith('server/'))
    const faults = server.flatMap((file) => sqlFaults(file, read(file)))
    // Until addresses have a key of their own.
    expect(faults.filter((fault) => fault !== 'server/src/modules/persons/persons.queries.ts: email')).toEqual([])
  })

  test('does not fold names elsewhere in code', () => {
    expect(sources.filter((file) => file !== fold).flatMap((file) => nameFaults(file, read(file)))).toEqual([])
  })

  test('does not fold names in unique indexes', () => {
    const migrations = [
      ...find('server/migrations/account/*.sql').filter((file) => file >= 'server/migrations/account/0023'),
      ...find('server/migrations/control/*.sql').filter((file) => file >= 'server/migrations/control/0029'),
    ]
    const statements = [...migrations, 'server/schema.sql'].flatMap((file) => indexFaults(read(file)))
    expect(migrations).not.toHaveLength(0)
    // Until addresses have a key of their own.
    expect(statements.filter((statement) => !statement.includes('persons_email_key'))).toEqual([])
  })

  test('has no unused exceptions', () => {
    const isUsed = (exception: string): boolean => {
      const [file = '', what = ''] = exception.split(': ')
      const code = read(file)
      const found = exception in inSql ? changedInSql(code) : changedInCode(code)
      return found.includes(what)
    }
    expect([...Object.keys(inSql), ...Object.keys(inCode)].filter((exception) => !isUsed(exception))).toEqual([])
  })
})

const indexFaults = (sql: string): string[] =>
  sql
    .replaceAll(/--.*$/gm, '')
    .split(/;\s*$/m)
    .filter((statement) => /CREATE UNIQUE INDEX/.test(statement) && changedInSql(statement).length > 0)

describe('the rules detect case folding', () => {
  const planted = 'server/src/modules/planted/planted.queries.ts'

  test.each([
    ['SELECT FROM portico.groups WHERE lower(name) = lower(${name})', ['name', '${name}']],
    ['SELECT id FROM portico.groups WHERE name ILIKE ${name}', ['ILIKE']],
    ['SELECT id FROM portico.groups WHERE upper(btrim(g.name)) = ${name}', ['btrim(']],
  ])('in SQL: %s', (statement, found) =>
    expect(sqlFaults(planted, `sql\`${statement}\``)).toEqual(found.map((what) => `${planted}: ${what}`)),
  )

  test.each([
    ['const isTaken = rows.some((row) => row.name.toLowerCase() === name.toLowerCase())', ['name', 'name']],
    ['new Set(fields.map(({ fieldName }) => fieldName.trim().toLowerCase()))', ['fieldName']],
    ['columnName?.toUpperCase()', ['columnName']],
    ['nameOf(row).toLocaleLowerCase()', ['nameOf']],
    ['known.find(({ column }) => column.toLowerCase() === wanted)', ['column']],
  ])('in code: %s', (code, found) =>
    expect(nameFaults(planted, code)).toEqual(found.map((what) => `${planted}: ${what}`)),
  )

  test('in an index', () => {
    expect(
      indexFaults('CREATE UNIQUE INDEX a ON portico.a (account_id,\n  lower(name));\nCREATE INDEX b ON b (c);'),
    ).toHaveLength(1)
  })
})

// Conditions on an id compare its text: another spelling that the server accepts would bypass them.
const idPattern = /\\d\{[01],1[789]\}|\[(?:\\d|0-9)a-f\]\{8\}\(/
const idFaults = (file: string, code: string): string[] => (idPattern.test(withoutComments(code)) ? [file] : [])

test('row ids and UUIDs are recognized by one function, in one spelling', () => {
  const found = sources.filter((file) => file.startsWith('server/')).flatMap((file) => idFaults(file, read(file)))
  expect(found).toEqual(['server/src/modules/filters/filter-values.ts', 'server/src/platform/ids.ts'])
  const [uuid, number] = ['/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)', '/^\\d{1,18}$/.test(id)']
  expect([uuid, number].map((code) => idFaults('a.ts', code))).toEqual([['a.ts'], ['a.ts']])
})

test('texts are normalized only by the fast normalizer', () => {
  expect(sources.filter((file) => /\.normalize\(/.test(withoutComments(read(file))))).toEqual(['domain/src/unicode.ts'])
})
