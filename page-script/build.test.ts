// @vitest-environment node
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'
import { expect, test } from 'vitest'
import packageJson from './package.json' with { type: 'json' }

async function buildScript(): Promise<string> {
  const configFile = join(import.meta.dirname, 'vite.config.ts')
  const built = await build({ configFile, logLevel: 'warn', build: { write: false }, mode: 'production' })
  if (!('output' in built)) throw new Error('one build has one output')
  const files = built.output.map((file) => ('code' in file ? file.code : file.fileName))
  expect(files).toHaveLength(1)
  return files[0] ?? ''
}

test('the script is one file of less than 3 kB, with its version', async () => {
  const code = await buildScript()
  expect(gzipSync(code, { level: 9 }).length).toBeLessThan(3000)
  expect(code.startsWith(`/*! portico.js ${packageJson.version} */`)).toBe(true)
  expect(code).not.toMatch(/\beval\b|new Function|innerHTML|insertAdjacentHTML|document\.write|localStorage|cookie/)
})
