import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import './zod-settings.ts'

test('the schema library never uses `eval`, which the content security policy forbids', () => {
  expect(Reflect.get(globalThis, '__zod_globalConfig')).toMatchObject({ jitless: true })
  // The library reads its settings when it is loaded, so this import must come first.
  const [first] = readFileSync(join(import.meta.dirname, 'main.tsx'), 'utf8').match(/^import .*$/m) ?? []
  expect(first).toBe("import './zod-settings.ts'")
})
