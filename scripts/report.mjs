import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

/**
 * Passed and failed tests, with a line for each failure that a report names.
 * @typedef {{ passed: number, failed: number, failures: string[] }} Count
 */
/** @typedef {{ status: string, fullName: string, failureMessages?: string[] }} VitestResult */
/** @typedef {{ name: string, status: string, message?: string, assertionResults: VitestResult[] }} VitestFile */
/** @typedef {{ title: string, file: string, line: number, ok: boolean }} PlaywrightSpec */
/** @typedef {{ specs?: PlaywrightSpec[], suites?: PlaywrightSuite[] }} PlaywrightSuite */

/**
 * Counts the tests of Vitest's JSON report. A test file that could not be loaded counts as one failure.
 * @param {string} file
 * @param {number} exitCode
 * @returns {Count}
 */
export function countVitest(file, exitCode) {
  const report = read(file)
  if (!report) return { passed: 0, failed: 1, failures: [] }
  /** @type {VitestFile[]} */
  const files = report.testResults
  const failures = files.flatMap((each) => failuresOf(each))
  return agree({ passed: report.numPassedTests, failed: failures.length, failures }, exitCode)
}

// The report omits such errors.
const inHook = 'an error in beforeAll or afterAll, shown above'

/** @param {VitestFile} file */
function failuresOf({ name, status, message, assertionResults }) {
  const path = relative(process.cwd(), name)
  const failed = assertionResults.filter((each) => each.status === 'failed')
  if (failed.length > 0) {
    return failed.map((each) => `${path}: ${each.fullName}: ${firstLine(each.failureMessages?.[0])}`)
  }
  return status === 'failed' ? [`${path}: ${firstLine(message) || inHook}`] : []
}

/**
 * Counts the tests of Playwright's JSON report. A test that passed in a retry counts as passed.
 * @param {string} file
 * @param {number} exitCode
 * @returns {Count}
 */
export function countPlaywright(file, exitCode) {
  const report = read(file)
  if (!report) return { passed: 0, failed: 1, failures: [] }
  const { expected, flaky, unexpected } = report.stats
  const failures = specsOf(report)
    .filter(({ ok }) => !ok)
    .map(({ file, line, title }) => `${file}:${line}: ${title}`)
  return agree({ passed: expected + flaky, failed: unexpected, failures }, exitCode)
}

/**
 * @param {PlaywrightSuite} suite
 * @returns {PlaywrightSpec[]}
 */
function specsOf({ specs = [], suites = [] }) {
  return [...specs, ...suites.flatMap((each) => specsOf(each))]
}

/** @param {string | undefined} text */
function firstLine(text = '') {
  return text.split('\n', 1)[0] ?? ''
}

/**
 * Adds a failure for errors outside of tests, which only show in the exit code, and for a run without tests.
 * @param {Count} count
 * @param {number} exitCode
 * @returns {Count}
 */
function agree({ passed, failed, failures }, exitCode) {
  const isUnexplained = failed === 0 && (exitCode !== 0 || passed === 0)
  return { passed, failed: isUnexplained ? 1 : failed, failures }
}

/** @param {string} file */
function read(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
}
