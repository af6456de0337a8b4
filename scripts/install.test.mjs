import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isBuilt, isInstalled, sourceHash } from './install.mjs'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-install-'))
  write('package-lock.json', '{}', 100)
})
afterEach(() => rmSync(folder, { recursive: true }))

/**
 * @param {string} path
 * @param {string} text
 * @param {number} [seconds] when it was written
 */
function write(path, text, seconds = 100) {
  const file = join(folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  utimesSync(file, seconds, seconds)
}

describe('installation', () => {
  test('is needed on a fresh clone and after an interrupted install', () => {
    expect(isInstalled(folder)).toBe(false)
    write('node_modules/some-package/package.json', '{}', 200)
    expect(isInstalled(folder)).toBe(false)
  })

  test('is not needed after an install by hand, nor if only the time of the lockfile changes', () => {
    write('node_modules/.package-lock.json', '{}', 100)
    expect(isInstalled(folder)).toBe(true)
    write('package-lock.json', '{}', 300)
    expect(isInstalled(folder)).toBe(true)
  })

  test('is needed if the lockfile has changed', () => {
    write('node_modules/.package-lock.json', '{}', 200)
    expect(isInstalled(folder)).toBe(true)
    write('package-lock.json', '{"new":1}', 300)
    expect(isInstalled(folder)).toBe(false)
  })

  test('is needed if it was done on another system', () => {
    write('node_modules/.package-lock.json', '{}', 200)
    expect(isInstalled(folder)).toBe(true)
    const mark = readFileSync(join(folder, 'node_modules/.portico-lock'), 'utf8')
    write('node_modules/.portico-lock', mark.replace(/ .*/, ' plan9-mips'))
    expect(isInstalled(folder)).toBe(false)
  })
})

test('a build is needed until it is done, and again when its source changes', () => {
  write('web/src/main.tsx', 'web')
  write('page-script/src/portico.ts', 'page script')
  write('contract/src/api.ts', 'contract')
  write('domain/src/names.ts', 'domain')
  expect(isBuilt(folder)).toBe(false)
  write('web/dist/.built', sourceHash(folder))
  expect(isBuilt(folder)).toBe(true)
  write('web/test/main.test.tsx', 'no part of it')
  expect(isBuilt(folder)).toBe(true)
  write('contract/src/api.ts', 'another contract')
  expect(isBuilt(folder)).toBe(false)
  write('web/dist/.built', sourceHash(folder))
  write('domain/src/names.ts', 'another domain')
  expect(isBuilt(folder)).toBe(false)
  write('web/dist/.built', sourceHash(folder))
  write('page-script/src/portico.ts', 'another page script')
  expect(isBuilt(folder)).toBe(false)
})
