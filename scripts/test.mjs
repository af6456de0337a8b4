// `npm test`: all checks, also on a fresh clone. Continues after failures, so one run shows all.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from './chromium.mjs'
import { install, rebuild } from './install.mjs'
import { countPlaywright, countVitest } from './report.mjs'
import { main, run } from './run.mjs'

/** @typedef {import('./report.mjs').Count} Count */

const reports = mkdtempSync(join(tmpdir(), 'portico-report-'))
const serverReport = join(reports, 'vitest.json')
const browserReport = join(reports, 'playwright.json')

// Tests start the portal and its command line about a hundred times; this caches compiled code.
process.env['NODE_COMPILE_CACHE'] = join(reports, 'compiled')

/** @typedef {{ name: string, work: () => Promise<Count> }} Step */

const types = { name: 'Types', work: () => one(run('npm', ['run', 'typecheck', '--silent'])) }
const checks = [
  { name: 'Lint', work: () => one(run('oxlint', ['--type-aware'])) },
  { name: 'Format', work: () => one(run('oxfmt', ['--check'])) },
  { name: 'Unused code', work: () => one(run('knip', [])) },
  { name: 'Build', work: () => one(rebuild()) },
]
const tests = [
  { name: 'Unit and API tests', work: runVitest },
  { name: 'Browser tests', work: runPlaywright },
]

await main(async () => {
  try {
    await install()
    return await runAll()
  } finally {
    rmSync(reports, { recursive: true, force: true })
  }
})

async function runAll() {
  // The type checker uses one core.
  const results = (await Promise.all([runInTurn([types]), runInTurn(checks)])).flat()
  results.push(...(await runInTurn(tests)))
  for (const { failures } of results) for (const failure of failures) console.log(`\nFailed: ${failure}`)
  console.log(`\n${results.map(({ line }) => line).join('\n')}`)
  const count = (/** @type {'passed' | 'failed'} */ what) => results.reduce((sum, result) => sum + result[what], 0)
  console.log(`\n${count('passed')} passed, ${count('failed')} failed`)
  return count('failed') === 0 ? 0 : 1
}

/** @param {Step[]} steps */
async function runInTurn(steps) {
  /** @type {(Count & { line: string })[]} */
  const results = []
  for (const { name, work } of steps) {
    console.log(`\n=== ${name}`)
    const started = performance.now()
    const { passed, failed, failures } = await work()
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const counts = `${String(passed).padStart(5)} passed ${String(failed).padStart(5)} failed`
    results.push({ passed, failed, failures, line: `${name.padEnd(20)} ${counts} ${seconds.padStart(7)} s` })
  }
  return results
}

/**
 * Counts a step as one test.
 * @param {Promise<number>} exitCode
 * @returns {Promise<Count>}
 */
async function one(exitCode) {
  return (await exitCode) === 0 ? { passed: 1, failed: 0, failures: [] } : { passed: 0, failed: 1, failures: [] }
}

async function runVitest() {
  const code = await run('vitest', [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${serverReport}`,
  ])
  return countVitest(serverReport, code)
}

async function runPlaywright() {
  if (!(await findChromium())) {
    console.log('No Chromium was found: install it, or set CHROMIUM_PATH to a Chromium or Chrome.')
    return { passed: 0, failed: 1, failures: [] }
  }
  const code = await run('playwright', ['test', '--config', 'e2e/playwright.config.ts', '--reporter=list,json'], {
    PLAYWRIGHT_JSON_OUTPUT_FILE: browserReport,
  })
  return countPlaywright(browserReport, code)
}
