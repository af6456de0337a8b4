import { existsSync, readFileSync } from 'node:fs'

/** @typedef {{ passed: number, failed: number }} Count */

/**
 * Counts the tests of Vitest's JSON report. A test file that could not be loaded counts as one failure.
 * @param {string} file
 * @param {number} exitCode
 * @returns {Count}
 */
export function countVitest(file, exitCode) {
  const report = read(file)
  if (!report) return { passed: 0, failed: 1 }
  const broken = report.testResults.filter(
    (/** @type {{ status: string, assertionResults: { status: string }[] }} */ { status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((each) => each.status === 'failed'),
  )
  return agree({ passed: report.numPassedTests, failed: report.numFailedTests + broken.length }, exitCode)
}

/**
 * Counts the tests of Playwright's JSON report. A test that passed at a retry has passed.
 * @param {string} file
 * @param {number} exitCode
 * @returns {Count}
 */
export function countPlaywright(file, exitCode) {
  const report = read(file)
  if (!report) return { passed: 0, failed: 1 }
  const { expected, flaky, unexpected } = report.stats
  return agree({ passed: expected + flaky, failed: unexpected }, exitCode)
}

/**
 * Adds a failure for errors outside of tests, which show only in the exit code, and for a run without tests.
 * @param {Count} count
 * @param {number} exitCode
 * @returns {Count}
 */
function agree({ passed, failed }, exitCode) {
  const isUnexplained = failed === 0 && (exitCode !== 0 || passed === 0)
  return { passed, failed: isUnexplained ? 1 : failed }
}

/** @param {string} file */
function read(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}
