import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { find, isTest, read, withoutComments } from './architecture-files.ts'

// Sources, including types, import each other in one direction only (oxlint ignores imports of types). Folders stay
// small.

const sources = find('{contract,domain,page-script,server,web}/src/**/*.{ts,tsx}').filter((file) => !isTest(file))

/** Maps `#name` to its path, for packages with such imports. `*` matches the same text in both. */
const aliases = Object.fromEntries(
  ['server', 'web'].map((workspace) => {
    const { imports } = JSON.parse(read(`${workspace}/package.json`)) as { imports: Record<string, string> }
    return [workspace, Object.entries(imports)]
  }),
)

/** Returns the source of an import; null for a package or another kind of file. */
function targetOf(file: string, specifier: string): string | null {
  const workspace = file.split('/')[0] ?? ''
  const path = specifier.startsWith('.')
    ? join(dirname(file), specifier)
    : specifier.startsWith('@portico/')
      ? specifier.replace(/^@portico\/(\w+)\/(.+)$/, '$1/src/$2.ts')
      : aliasTarget(workspace, specifier)
  return path !== null && /\.tsx?$/.test(path) && existsSync(path) ? path : null
}

function aliasTarget(workspace: string, specifier: string): string | null {
  for (const [name, target] of aliases[workspace] ?? []) {
    const [start = '', end] = name.split('*')
    if (end === undefined ? specifier === name : specifier.startsWith(start)) {
      return join(workspace, target.replace('*', specifier.slice(start.length)))
    }
  }
  return null
}

/** Maps each file to the files that it imports or re-exports, values or types. */
const graph = new Map(
  sources.map((file) => {
    const specifiers = withoutComments(read(file)).matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)
    return [file, [...specifiers].flatMap(([, specifier = '']) => targetOf(file, specifier) ?? [])]
  }),
)

/** Returns one cycle for each import that closes one, as its files in order. */
function circles(): string[][] {
  const found: string[][] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file])
    if (path.includes(file) || done.has(file)) return
    path.push(file)
    for (const target of graph.get(file) ?? []) visit(target)
    path.pop()
    done.add(file)
  }
  for (const file of graph.keys()) visit(file)
  return found
}

test('imports of every kind are checked', () => {
  const targets = (file: string) => graph.get(file) ?? []
  expect(targets('server/src/app.ts')).toEqual(
    expect.arrayContaining(['server/src/registrations.ts', 'server/src/modules/imports/index.ts']),
  )
  const ofWeb = [...graph].filter(([file]) => file.startsWith('web/')).flatMap(([, files]) => files)
  expect(ofWeb.some((file) => file.startsWith('contract/src/'))).toBe(true)
  expect(ofWeb.some((file) => file.startsWith('domain/src/'))).toBe(true)
  expect(ofWeb.some((file) => file.startsWith('web/src/ui/'))).toBe(true)
})

test('there are no circular imports', () => {
  expect(circles().map((circle) => circle.join(' → '))).toEqual([])
})

/**
 * Tests are not counted, as they are next to their subject. The contract is exempt: it has one file per noun, which
 * users import by name.
 */
const mostFiles = 30

test(`no folder has more than ${mostFiles} sources`, () => {
  const sizes = new Map<string, number>()
  for (const file of sources.filter((each) => !each.startsWith('contract/'))) {
    sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1)
  }
  const large = [...sizes].filter(([, files]) => files > mostFiles)
  expect(large.map(([folder, files]) => `${folder} has ${files}`)).toEqual([])
})

/** Returns the files that a Node.js program loads, starting with its first one. */
function readBy(program: string): Set<string> {
  const found = new Set<string>()
  const visit = (file: string): void => {
    if (found.has(file)) return
    found.add(file)
    graph.get(file)?.forEach(visit)
  }
  visit(program)
  return found
}

test('only the upload process uses SSH (ADR 0108)', () => {
  const users = sources.filter((file) => /from 'ssh2(-sftp-client)?'|import\('ssh2/.test(withoutComments(read(file))))
  const uploads = readBy('server/src/modules/delivery/sftp/sftp-process.ts')
  expect(users.length).toBeGreaterThan(0)
  expect(users.filter((file) => !uploads.has(file))).toEqual([])
  for (const program of ['main', 'worker-role', 'worker', 'cli']) {
    const read = readBy(`server/src/${program}.ts`)
    expect(read.size).toBeGreaterThan(20)
    expect(users.filter((file) => read.has(file))).toEqual([])
  }
})
