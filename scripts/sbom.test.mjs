import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './run.mjs'
import { productSbom } from './sbom.mjs'

/** @type {{ packages: Record<string, { version?: string, dev?: boolean, optional?: boolean, link?: boolean }> }} */
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

/** @param {boolean} isDev */
const locked = (isDev) =>
  Object.entries(lock.packages).flatMap(([path, { version, dev = false, optional, link }]) =>
    // Optional packages for other platforms are not installed.
    path.includes('node_modules/') && !link && !optional && dev === isDev
      ? [`${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`]
      : [],
  )

test('the list contains all runtime components and no development-only ones', () => {
  const listed = new Set(productSbom().components.map((component) => component['bom-ref']))
  const needed = new Set(locked(false))
  expect(needed.has(locked(false).find((name) => name.startsWith('pg@')) ?? '')).toBe(true)
  expect([...needed].filter((name) => !listed.has(name))).toEqual([])
  expect(locked(true).filter((name) => listed.has(name) && !needed.has(name))).toEqual([])
}, 120_000)
