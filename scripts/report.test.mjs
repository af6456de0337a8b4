import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { countPlaywright, countVitest } from './report.mjs'

const folder = mkdtempSync(join(tmpdir(), 'portico-report-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** @param {unknown} content */
function report(content) {
  const file = join(folder, 'report.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}

const missing = join(folder, 'missing.json')
const passing = { name: 'a.test.ts', status: 'passed', assertionResults: [{ status: 'passed', fullName: 'adds' }] }

describe('Vitest', () => {
  test('counts and names failed tests, and counts a file that does not load as one', () => {
    const failed = {
      status: 'failed',
      fullName: 'list sorts',
      failureMessages: ['Error: expected 1\n    at b.test.ts:3'],
    }
    const testResults = [
      passing,
      { name: resolve('web/b.test.ts'), status: 'failed', assertionResults: [...passing.assertionResults, failed] },
      { name: 'c.test.ts', status: 'failed', message: 'Cannot find module', assertionResults: [] },
      { name: 'd.test.ts', status: 'failed', message: '', assertionResults: [{ status: 'skipped', fullName: 'adds' }] },
    ]
    const file = report({ numPassedTests: 7, numFailedTests: 1, testResults })
    expect(countVitest(file, 1)).toEqual({
      passed: 7,
      failed: 3,
      failures: [
        'web/b.test.ts: list sorts: Error: expected 1',
        'c.test.ts: Cannot find module',
        'd.test.ts: an error in beforeAll or afterAll, shown above',
      ],
    })
  })

  test('passes if all tests passed', () => {
    const file = report({ numPassedTests: 7, numFailedTests: 0, testResults: [passing] })
    expect(countVitest(file, 0)).toEqual({ passed: 7, failed: 0, failures: [] })
  })

  test('fails on an error outside of tests, without tests or without a report', () => {
    const file = report({ numPassedTests: 7, numFailedTests: 0, testResults: [passing] })
    expect(countVitest(file, 1)).toEqual({ passed: 7, failed: 1, failures: [] })
    const none = report({ numPassedTests: 0, numFailedTests: 0, testResults: [] })
    expect(countVitest(none, 0)).toEqual({ passed: 0, failed: 1, failures: [] })
    expect(countVitest(missing, 1)).toEqual({ passed: 0, failed: 1, failures: [] })
  })
})

describe('Playwright', () => {
  test('counts tests, treats a passed retry as passed, and names failed tests', () => {
    const inner = { specs: [{ title: 'opens', file: 'a.spec.ts', line: 3, ok: true }], suites: [] }
    const outer = { specs: [{ title: 'closes', file: 'a.spec.ts', line: 9, ok: false }], suites: [inner] }
    const file = report({ stats: { expected: 5, flaky: 1, unexpected: 1, skipped: 3 }, suites: [outer] })
    expect(countPlaywright(file, 1)).toEqual({ passed: 6, failed: 1, failures: ['a.spec.ts:9: closes'] })
  })

  test('fails without tests or without a report', () => {
    const none = report({ stats: { expected: 0, flaky: 0, unexpected: 0, skipped: 3 } })
    expect(countPlaywright(none, 0)).toEqual({ passed: 0, failed: 1, failures: [] })
    expect(countPlaywright(missing, 0)).toEqual({ passed: 0, failed: 1, failures: [] })
  })
})
