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

describe('installing', () => {
  test('is due on a fresh clone, and after an install that was cut off', () => {
    expect(isInstalled(folder)).toBe(false)
    write('node_modules/some-package/package.json', '{}', 200)
    expect(isInstalled(folder)).toBe(false)
  })

  test('is not due after an install by hand, nor later when only the time of the lock changes', () => {
    write('node_modules/.package-lock.json', '{}', 100)
    expect(isInstalled(folder)).toBe(true)
    write('package-lock.json', '{}', 300)
    expect(isInstalled(folder)).toBe(true)
  })

  test('is due when the lock has changed since', () => {
    write('node_modules/.package-lock.json', '{}', 200)
    expect(isInstalled(folder)).toBe(true)
    write('package-lock.json', '{"new":1}', 300)
    expect(isInstalled(folder)).toBe(false)
  })

  test('is due when it was done on another system', () => {
    write('node_modules/.package-lock.json', '{}', 200)
    expect(isInstalled(folder)).toBe(true)
    const mark = readFileSync(join(folder, 'node_modules/.portico-lock'), 'utf8')
    write('node_modules/.portico-lock', mark.replace(/ .*/, ' plan9-mips'))
    expect(isInstalled(folder)).toBe(false)
  })
})

test('building is due until it is done, and again when its source changes', () => {
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
