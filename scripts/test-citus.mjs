// `npm run test:citus`: runs the server's tests on a Citus cluster, and lists those that fail. The URL of the
// coordinator is in DATABASE_URL_TEST; its role must be allowed to create databases and the extension on all nodes.
// Arguments are passed on to vitest: `npm run test:citus -- server/test` runs one folder.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { install } from './install.mjs'
import { countVitest } from './report.mjs'
import { main, root, run, Trouble } from './run.mjs'

/** @typedef {{ name: string, assertionResults: { fullName: string, status: string }[], status: string }} FileResult */

await main(async () => {
  if (!process.env['DATABASE_URL_TEST']) {
    throw new Trouble(
      'Set DATABASE_URL_TEST to the URL of a coordinator, such as postgres://user@10.0.0.1:5432/postgres.',
    )
  }
  await install()
  const folder = mkdtempSync(join(tmpdir(), 'portico-citus-'))
  try {
    return await runTests(join(folder, 'vitest.json'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** @param {string} report */
async function runTests(report) {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const parameters = ['run', '--project', 'server', ...reporters]
  const code = await run('vitest', [...parameters, ...process.argv.slice(2)], {
    TEST_ON_CITUS: 'yes',
  })
  const { passed, failed } = countVitest(report, code)
  if (failed > 0) console.log(`\nFailed on Citus:\n${failedTests(report).join('\n')}`)
  console.log(`\n${passed} passed, ${failed} failed`)
  return failed === 0 ? 0 : 1
}

/**
 * Returns the failed tests by file; only the file if it could not be loaded.
 * @param {string} report
 * @returns {string[]}
 */
function failedTests(report) {
  /** @type {FileResult[]} */
  const files = JSON.parse(readFileSync(report, 'utf8')).testResults
  return files
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, assertionResults }) => {
      const tests = assertionResults.filter(({ status }) => status === 'failed')
      const file = relative(root, name)
      return tests.length === 0 ? [`- ${file}`] : tests.map(({ fullName }) => `- ${file}: ${fullName}`)
    })
    .toSorted()
}
