import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const web = join(import.meta.dirname, '..')
const mantine = join(web, '../node_modules/@mantine/core/styles')

/** The components of Mantine that some source file imports. */
const componentsIn = (source: string): string[] =>
  [...source.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  )

/** The components whose styles some list brings. */
const broughtBy = (list: string): string[] =>
  [...readFileSync(join(web, `src/ui/${list}.css`), 'utf8').matchAll(/styles\/(\w+)\.layer\.css/g)].map(
    ([, name = '']) => name,
  )

/** The source file of this package that an import names. */
function importedFile(from: string, name: string): string | undefined {
  const local = name.startsWith('.') ? join(dirname(from), name) : /^#(ui|lib|domain|features)\//.test(name) && name
  if (!local) return undefined
  const path = local.startsWith('#') ? join(web, 'src', local.slice(1)) : local
  return [path, join(path, 'index.ts')].find((file) => /\.tsx?$/.test(file) && existsSync(file))
}

/** The source files that some of them import, also by way of others. */
function allImportedBy(files: string[]): Set<string> {
  const seen = new Set<string>()
  const waiting = [...files]
  for (let file = waiting.pop(); file; file = waiting.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/(?:from |import )'([^']+)'/g)) {
      const next = importedFile(file, name)
      if (next) waiting.push(next)
    }
  }
  return seen
}

test('the styles of every Mantine component in use are loaded', () => {
  const brought = [...broughtBy('mantine'), ...broughtBy('screen-styles')]
  const withStyles = new Set(readdirSync(mantine).map((file) => file.replace('.layer.css', '')))
  const used = globSync('src/**/*.tsx', { cwd: web }).flatMap((file) =>
    componentsIn(readFileSync(join(web, file), 'utf8')),
  )
  expect(used).toContain('Button')
  expect([...new Set(used)].filter((name) => withStyles.has(name) && !brought.includes(name))).toEqual([])
})

test('the sign-in, the shell and the home page use no component whose styles load with other screens', () => {
  const parts = ['sign-in/index.ts', 'home/index.ts', 'preferences/confirm-sender-page.tsx']
  const first = ['app/routes.tsx', ...parts.map((part) => `features/${part}`)]
  const files = allImportedBy(first.map((file) => join(web, 'src', file)))
  expect(files).toContain(join(web, 'src/app/shell/shell.tsx'))
  const later = broughtBy('screen-styles')
  const used = [...files].flatMap((file) =>
    componentsIn(readFileSync(file, 'utf8'))
      .filter((name) => later.includes(name))
      .map((name) => `${file.slice(web.length + 1)}: ${name}`),
  )
  expect(used).toEqual([])
})
