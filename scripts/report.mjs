import { existsSync, readFileSync } from 'node:fs'

/** @typedef {{ passed: number, failed: number }} Count */

/**
 * What Vitest's JSON report says. A test file that could not be loaded has no tests and counts as one that failed.
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
 * What Playwright's JSON report says. A test that passed at a second attempt has passed.
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
 * Errors outside of tests show in the exit code alone, and a run without a single test has proved nothing.
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
