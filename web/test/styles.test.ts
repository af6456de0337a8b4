import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const web = join(import.meta.dirname, '..')
const mantine = join(web, '../node_modules/@mantine/core/styles')

test('the styles of every Mantine component in use are loaded', () => {
  const list = ['mantine', 'screen-styles']
    .map((name) => readFileSync(join(web, `src/ui/${name}.css`), 'utf8'))
    .join('')
  const brought = [...list.matchAll(/styles\/(\w+)\.layer\.css/g)].map(([, name]) => name)
  const withStyles = new Set(readdirSync(mantine).map((file) => file.replace('.layer.css', '')))
  const used = globSync('src/**/*.tsx', { cwd: web }).flatMap((file) =>
    [...readFileSync(join(web, file), 'utf8').matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap(
      ([, names = '']) => names.split(',').map((name) => name.trim()),
    ),
  )
  expect(used).toContain('Button')
  expect([...new Set(used)].filter((name) => withStyles.has(name) && !brought.includes(name))).toEqual([])
})
