import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
const passing = { status: 'passed', assertionResults: [{ status: 'passed' }] }

describe('Vitest', () => {
  test('counts tests, and a file that does not load as one', () => {
    const testResults = [
      passing,
      { status: 'failed', assertionResults: [{ status: 'failed' }] },
      { status: 'failed', assertionResults: [] },
    ]
    const file = report({ numPassedTests: 7, numFailedTests: 1, testResults })
    expect(countVitest(file, 1)).toEqual({ passed: 7, failed: 2 })
  })

  test('passes when all did', () => {
    const file = report({ numPassedTests: 7, numFailedTests: 0, testResults: [passing] })
    expect(countVitest(file, 0)).toEqual({ passed: 7, failed: 0 })
  })

  test('fails on an error outside of tests, without tests and without a report', () => {
    const file = report({ numPassedTests: 7, numFailedTests: 0, testResults: [passing] })
    expect(countVitest(file, 1)).toEqual({ passed: 7, failed: 1 })
    const none = report({ numPassedTests: 0, numFailedTests: 0, testResults: [] })
    expect(countVitest(none, 0)).toEqual({ passed: 0, failed: 1 })
    expect(countVitest(missing, 1)).toEqual({ passed: 0, failed: 1 })
  })
})

describe('Playwright', () => {
  test('counts tests, a second attempt that passed as one that passed', () => {
    const file = report({ stats: { expected: 5, flaky: 1, unexpected: 2, skipped: 3 } })
    expect(countPlaywright(file, 1)).toEqual({ passed: 6, failed: 2 })
  })

  test('fails without tests and without a report', () => {
    const none = report({ stats: { expected: 0, flaky: 0, unexpected: 0, skipped: 3 } })
    expect(countPlaywright(none, 0)).toEqual({ passed: 0, failed: 1 })
    expect(countPlaywright(missing, 0)).toEqual({ passed: 0, failed: 1 })
  })
})
