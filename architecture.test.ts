import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { find, isOurs, moduleFiles, moduleOf, read, withoutComments } from './architecture-files.ts'
import { api } from './contract/src/api.ts'
import { features } from './contract/src/features.ts'

// Rules of the documents that no linter can check. Each is short and absolute; exceptions are listed here with their
// reason. Rules about tables, imports and phrases are in the other architecture-*.test.ts files.

const withoutSqlComments = (sql: string): string => sql.replaceAll(/--.*$/gm, '')

const everything = find('**/*')
const queryFiles = moduleFiles.filter((file) => file.endsWith('.queries.ts'))
const accountMigrations = find('server/migrations/account/*.sql')

test('files are checked', () => {
  for (const files of [everything, moduleFiles, queryFiles, accountMigrations]) expect(files).not.toHaveLength(0)
})

describe('documents', () => {
  const documents = find('{*,web/*,docs/*,docs/decisions/*}.md')

  /** Returns texts that look like a path of the repository: they begin with one of its folders, or end like a file. */
  const pathsIn = (text: string): string[] =>
    [...text.replaceAll(/```[^]*?```/g, '').matchAll(/`([\w.@*-][\w.@/*-]*)`/g)]
      .map(([, path = '']) => path.replace(/\/$/, ''))
      .filter((path) =>
        /^(\.ci|bench|contract|docs|domain|e2e|page-script|scripts|server|web)\/|\.(ts|tsx|mjs|sql|md|json|css|png)$/.test(
          path,
        ),
      )
      .filter(isOurs)

  const names = new Set(everything.map((file) => basename(file)))

  const isThere = (path: string, from: string): boolean => {
    const folder = dirname(from)
    const isAnywhere = !path.includes('/')
    const places = [path, join(folder, path), join(folder, 'src', path)]
    // A search is slow, and only needed for patterns.
    if (!path.includes('*')) return places.some((place) => existsSync(place)) || (isAnywhere && names.has(path))
    return [...places, ...(isAnywhere ? [`**/${path}`] : [])].some((place) => find(place).length > 0)
  }

  test.each(documents)('%s names only files that exist', (file) => {
    const text = read(file)
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link = '']) => link)
    expect(pathsIn(text).filter((path) => !isThere(path, file))).toEqual([])
    expect(links.filter((link) => !existsSync(join(dirname(file), link)))).toEqual([])
  })

  test('name only functions and types that exist in the code', () => {
    const sources = find('{contract,domain,e2e,page-script,server,web}/**/*.{ts,tsx}').filter(
      (file) => !file.endsWith('.test.ts'),
    )
    const words = new Set(sources.flatMap((file) => read(file).match(/\w+/g) ?? []))
    // Inner capitals distinguish them from words.
    const named = documents.flatMap((file) => [...read(file).matchAll(/`([A-Za-z][a-z]+[A-Z]\w*)`/g)])
    expect(named).not.toHaveLength(0)
    expect(named.map(([, name = '']) => name).filter((name) => !words.has(name))).toEqual([])
  })

  test.each(documents)('%s names only commands that exist', (file) => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    // In code, at the start of a line or span; environment variables may precede it.
    const commands = read(file).matchAll(/(?<=^|`|[A-Z]=\S+ )npm (?:run )?(?:--silent )?([a-z][\w:-]*)/gm)
    const ofNpm = ['ci', 'install']
    expect(
      [...commands].map(([, name = '']) => name).filter((name) => !(name in scripts || ofNpm.includes(name))),
    ).toEqual([])
  })

  test('README.md lists exactly the settings that the server reads', () => {
    const listed = [...read('README.md').matchAll(/^\| (`[A-Z].*?) +\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name),
    )
    const readers = ['config', 'keys/secret-key'].map((name) => read(`server/src/platform/${name}.ts`))
    const settings = [...readers.join('').matchAll(/env(?:, |\[)'([A-Z][A-Z0-9_]+)'/g)]
    expect(new Set(listed)).toEqual(new Set(settings.map(([, name]) => name)))
  })

  test('the guided tour has at most 150 lines', () => {
    expect(read('ARCHITECTURE.md').trimEnd().split('\n').length).toBeLessThanOrEqual(150)
  })

  test.each(find('docs/decisions/*.md'))('%s has the five headings and fewer than 50 lines', (file) => {
    expect(file).toMatch(/\/\d{4}-[a-z0-9-]+\.md$/)
    expect(read(file)).toMatch(
      /^# .+\n\n- Date: \d{4}-\d\d-\d\d\n- Status: .+\n\n## Context\n[^]+\n## Decision\n[^]+\n## Consequences\n/,
    )
    expect(read(file).split('\n').length).toBeLessThan(50)
  })
})

describe('account isolation', () => {
  /** Modules whose queries need no account, and why. They do not access account tables, see below. */
  const exceptedModules: Record<string, string> = {
    accounts: 'its tables list the accounts, and the settings of the installation',
    persons: 'a person belongs to no account',
    access: 'the account of a session, a credential or a policy is known only once it is read',
    'sign-in': 'a person signs in before an account is chosen',
    credentials: 'a credential or a link says which account it is for',
    audit: 'an entry names its account, or none where it concerns all',
    demo: 'an installation has one demo',
  }
  /** Queries of other modules that get the tables of one account from their caller, or that read no tables. */
  const exceptedQueries = [
    'selectContactIds',
    'selectMissing',
    'selectPipelineRows',
    'selectCount',
    'selectForeignLetters',
    'normalizeTexts',
    'selectMoment',
    'selectWidened',
    'selectWrittenText',
    'selectCoordinateText',
    'selectTextOrder',
    'planMatches',
    'copySheetStatement',
    'copyStatement',
    'sampleTexts',
    'countUnique',
    'selectNow',
  ]
  /** Queries by which the scheduler finds work in all accounts at once. Each row that they return names its account. */
  const queriesOfTheScheduler = [
    'lockDueCrons',
    'lockOutdatedCrons',
    'updateNextDue',
    'lockReadyRun',
    'lockUnsettledRuns',
    'selectUntoldCron',
    'deleteOldRuns',
  ]

  /**
   * The secret of the link in an email identifies account and sender. The cleanup of files finds work in all accounts
   * at once, and work that a person owns is listed over the accounts that an administrator reaches: each row names its account.
   */
  const queriesThatNameAccounts =
    'selectByLink selectPendingAccounts selectOwnedDashboards selectOwnedCrons selectOwnedFilters'.split(' ')

  /** An identity of a parent account, or of all accounts, may have crons in several. Its id identifies their owner. */
  const queriesByIdentity = ['updateCronsDetached']

  const signatures = queryFiles.flatMap((file) =>
    [
      ...withoutComments(read(file)).matchAll(
        /^export (?:async )?(?:function|const) (\w+)[^(\n]*\(([^]*?)\)(?::| =>|,)/gm,
      ),
    ]
      .map(([, name = '', parameters = '']) => ({ file, name, parameters: parameters.trim() }))
      .filter(({ parameters }) => /: (Db|Database|Connection|pg\.\w+|Kysely<.*>|Transaction<.*>)\b/.test(parameters)),
  )
  const unnamed = signatures.filter(({ parameters }) => !/^db: Db,\s*account: AccountId\b/.test(parameters))

  test('queries are checked', () => expect(signatures).not.toHaveLength(0))

  test('every query takes an account', () => {
    const isExcepted = ({ file, name }: { file: string; name: string }): boolean =>
      (moduleOf(file) ?? '') in exceptedModules ||
      [...exceptedQueries, ...queriesOfTheScheduler, ...queriesThatNameAccounts, ...queriesByIdentity].includes(name)
    expect(unnamed.filter((query) => !isExcepted(query)).map(({ file, name }) => `${name} of ${file}`)).toEqual([])
  })

  test('every exception is still needed', () => {
    const names = unnamed.map(({ name }) => name)
    const modules = unnamed.map(({ file }) => moduleOf(file))
    expect([...exceptedQueries, ...queriesOfTheScheduler].filter((name) => !names.includes(name))).toEqual([])
    expect(Object.keys(exceptedModules).filter((name) => !modules.includes(name))).toEqual([])
  })

  test('modules whose queries take no account do not access account tables', () => {
    const reachesAccount = (file: string): boolean =>
      /\b(accountTable|inAccount|accountSchema)[<(]/.test(withoutComments(read(file)))
    const files = queryFiles.filter((file) => (moduleOf(file) ?? '') in exceptedModules)
    expect(files.filter(reachesAccount)).toEqual([])
  })

  test('a file accesses either control tables or account tables, never both', () => {
    const reachesBoth = (file: string): boolean => {
      const code = withoutComments(read(file))
      return /\bcontrol[<(]|\bportico\.[a-z]/.test(code) && /\b(accountTable|inAccount|accountSchema)[<(]/.test(code)
    }
    expect(moduleFiles.filter(reachesBoth)).toEqual([])
  })
})

describe('account SQL also runs on several servers (ADR 0004)', () => {
  const statements = accountMigrations.flatMap((file) =>
    splitStatements(withoutSqlComments(read(file)))
      .map((statement) => statement.trim())
      .filter((statement) => statement !== '')
      .map((statement) => ({ file, statement, begin: statement.split('\n')[0] ?? '' })),
  )

  test.each(statements)('$file: $begin', ({ statement }) => expect(faultsOf(statement)).toEqual([]))

  /** Splits SQL into statements. A block keeps the semicolons between its `$$`. */
  function splitStatements(text: string): string[] {
    return text.split(/;\s*$/m).reduce<string[]>((found, part) => {
      const last = found.at(-1) ?? ''
      const isInBlock = (last.match(/\$\$/g)?.length ?? 0) % 2 === 1
      return isInBlock ? [...found.slice(0, -1), `${last};${part}`] : [...found, part]
    }, [])
  }

  function faultsOf(statement: string): string[] {
    const isTable = /^CREATE TABLE/i.test(statement)
    const isChange = /^ALTER TABLE/i.test(statement)
    // The coordinator runs a block or a step, and sends each of its statements to the account's server.
    const isKnown =
      isTable || isChange || /^(CREATE (UNIQUE )?INDEX|DROP (TABLE|INDEX)|UPDATE|DO|RUN)\b/i.test(statement)
    return [
      ...(isKnown ? [] : ['is no change of a table that is known here']),
      ...(/\b(REFERENCES|TRIGGER|RULE|INHERITS)\b/i.test(statement) ? ['ties tables together'] : []),
      ...(/\bportico\./.test(statement) ? ['reaches a control table'] : []),
      ...(isTable && !statement.includes('PRIMARY KEY') ? ['has no primary key'] : []),
      // A comma outside parentheses would start a second change.
      ...(isChange && withoutParentheses(statement).includes(',') ? ['makes several changes'] : []),
    ]
  }

  // The scheduler only has control tables, and the clock of their server decides what is due (ADR 0055).
  const ofAccounts = queryFiles.filter((file) => moduleOf(file) !== 'scheduler')

  test.each(ofAccounts)('%s does not use SQL functions for times, ids or random values', (file) => {
    const code = withoutComments(read(file))
    expect(code).not.toMatch(/\bMERGE\s+INTO\b/i)
    expect(code).not.toMatch(/(?<![.\w])(random|now|gen_random_uuid|uuidv[47]|clock_timestamp|current_setting)\(/i)
    expect(code).not.toMatch(/\b(CURRENT_TIMESTAMP|LOCALTIMESTAMP|CURRENT_DATE)\b/)
  })

  function withoutParentheses(statement: string): string {
    const shorter = statement.replaceAll(/\([^()]*\)/g, '')
    return shorter === statement ? statement : withoutParentheses(shorter)
  }
})

test.each(['account', 'control'])('the migrations of %s are numbered without gaps', (folder) => {
  const numbers = find(`server/migrations/${folder}/*`).map(
    (file) => /^(\d{4})-[a-z0-9-]+\.sql$/.exec(basename(file))?.[1],
  )
  expect(numbers).toEqual(numbers.map((_, index) => String(index + 1).padStart(4, '0')))
})

describe('jobs', () => {
  const jobs = find('server/src/modules/*/**/*.jobs.ts').flatMap((file) =>
    [...read(file).matchAll(/export const (\w+) = defineJob\(\{\s*name: '([^']*)'/g)].map(
      ([, constant = '', name = '']) => ({
        constant,
        name,
      }),
    ),
  )

  test('have unique names that start with a verb', () => {
    expect(jobs).not.toHaveLength(0)
    expect(new Set(jobs.map(({ name }) => name)).size).toBe(jobs.length)
    for (const { name } of jobs) expect(name).toMatch(/^[a-z]+(-[a-z]+)+$/)
  })

  test.each(jobs)('$name is registered in every process and has a worker', ({ constant }) => {
    const worker = read('server/src/worker.ts')
    expect(worker).toMatch(new RegExp(`jobKinds: JobKind\\[\\] = \\[[^\\]]*\\b${constant}\\b`))
    expect(worker).toContain(`jobs.work(${constant},`)
  })
})

describe('rights', () => {
  /** Microservices and resources that policies can name (specification 2 §9). */
  const catalogue: Record<string, string[]> = {
    bi: ['dashboards', 'downloads', 'reports'],
    'contact-service': [
      'downloads',
      'exports',
      'fields',
      'imports',
      'indexes',
      'offers',
      'rdls',
      'remoteAccess',
      'uploads',
    ],
    scheduler: ['crons', 'schedules'],
  }
  const isAction = (action: string): boolean => {
    const [service = '', resource = '', method = '', ...rest] = action.split('::')
    const isKnown = catalogue[service]?.includes(resource) && ['get', 'post', 'put', 'delete'].includes(method)
    return Boolean(isKnown) && rest.length === 0
  }
  const routes = Object.entries(api)

  test.each(routes)('%s requires an action that policies can name', (_name, { access }) => {
    const kinds = ['public', 'signed-url', 'remote-access', 'person', 'self', 'account', 'administrator', 'power-admin']
    expect(kinds.includes(access) || isAction(access)).toBe(true)
  })

  test.each(Object.entries(features))('the feature %s comes with an action that policies can name', (_name, action) => {
    expect(isAction(action)).toBe(true)
  })

  test.each(routes)('%s has a one-sentence summary', (_name, { summary }) => {
    expect(summary).toMatch(/^[A-Z].{8,}[^.]$/)
  })

  test('the web app shows what the server decides and makes no access decisions', () => {
    // These pass a user's flags to the rest of the web app; the page for missing rights shows them.
    const gates = ['web/src/app/access.ts', 'web/src/app/not-allowed-page.tsx', 'web/src/lib/session/role.ts']
    const isSource = (file: string): boolean => !/\.test\.tsx?$/.test(file) && !gates.includes(file)
    const sources = find('web/src/**/*.{ts,tsx}').filter(isSource)
    const rule = /['"`][\w*-]+::[\w*-]+::[\w*-]+['"`]|\bisPower(Admin|User)\b/
    expect(sources).not.toHaveLength(0)
    expect(sources.filter((file) => rule.test(withoutComments(read(file))))).toEqual([])
  })
})

test('chart tooltips are rendered as text, since names and values are untrusted', () => {
  const drawings = find('web/src/**/*.{ts,tsx}').filter((file) => /trigger: '(axis|item)'/.test(read(file)))
  expect(drawings).not.toHaveLength(0)
  expect(drawings.filter((file) => !read(file).includes('...tooltipOf('))).toEqual([])
})

describe('folders', () => {
  test('no file or folder has a meaningless name', () => {
    const banned = new Set(['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'manager', 'types'])
    const isBanned = (file: string): boolean => file.split('/').some((part) => banned.has(part.split('.')[0] ?? ''))
    expect(everything.filter(isBanned)).toEqual([])
  })

  test('every module has a place in the import order and an entry file', () => {
    const folders = new Set(find('server/src/modules/*/index.ts').map((file) => basename(dirname(file))))
    const [, order = ''] = /^const modules = \[([^\]]*)\]/m.exec(read('oxlint.config.ts')) ?? []
    const { imports } = JSON.parse(read('server/package.json')) as { imports: Record<string, string> }
    const doors = Object.values(imports).flatMap(
      (target) => /^\.\/src\/modules\/(\w[\w-]*)\/index\.ts$/.exec(target)?.[1] ?? [],
    )
    expect(new Set(moduleFiles.map(moduleOf))).toEqual(folders)
    expect(new Set([...order.matchAll(/'([\w-]+)'/g)].map(([, name]) => name))).toEqual(folders)
    expect(new Set(doors)).toEqual(folders)
  })

  test('modules have at most one level of subfolders', () => {
    expect(moduleFiles.filter((file) => file.split('/').length > 6)).toEqual([])
  })

  test('SQL is in queries, not in services', () => {
    const services = moduleFiles.filter((file) => file.endsWith('.service.ts'))
    expect(services).not.toHaveLength(0)
    expect(services.filter((file) => /\bsql(<[^`]*>)?`/.test(withoutComments(read(file))))).toEqual([])
  })

  test('a module file has one of five suffixes or none', () => {
    const parts = new Set(['routes', 'service', 'queries', 'jobs', 'test'])
    const odd = find('server/src/modules/*/**/*.ts').filter((file) => {
      const [, part, ...rest] = basename(file).split('.')
      return rest.length > 1 || (rest.length === 1 && !parts.has(part ?? ''))
    })
    expect(odd).toEqual([])
  })
})
