import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeContactFile } from './contact-file.ts'
import { benchBusy } from './busy-bench.ts'
import { benchCitus } from './citus-bench.ts'
import { benchCrowd } from './crowd-bench.ts'
import { benchDashboard } from './dashboard-bench.ts'
import { benchExport } from './export-bench.ts'
import { benchFuzz } from './fuzz-bench.ts'
import { benchGrowth } from './growth-bench.ts'
import { benchImport, loadContacts } from './import-bench.ts'
import { benchPoint } from './point-bench.ts'
import { startPortal } from './portal.ts'
import { benchRetype } from './retype-bench.ts'
import { benchPublic, publicSettings } from './public-bench.ts'
import { openReference } from './reference.ts'
import { type Measurement, printReport } from './report.ts'
import { benchSchedule } from './schedule-bench.ts'
import { benchSearch } from './search-bench.ts'
import { loadSearchData } from './search-data.ts'
import { benchUndo } from './undo-bench.ts'

const usage = `npm run bench -- import|export|search|busy|crowd|dashboard|fuzz|growth|point|public|retype|schedule|undo|citus|all [--rows N]

Measures a real portal over HTTP, and PostgreSQL alone with the same data in the same run.
  import, export   the whole file
  search           all kinds of searches, compared with hand-written SQL and DuckDB
  busy             searches while another account imports and a third builds indexes
  crowd            ten people searching for a minute
  dashboard        a dashboard of twelve cells, alone and with ten people on three of them
  fuzz             wrong requests to every call: memory (not part of all)
  growth           the same work with all rows and with a tenth of them (not part of all)
  point            reads of one row, compared with the web framework alone
  public           reads and events of strangers (not part of all)
  retype           locks and waits while types of fields are changed (not part of all)
  schedule         10,000 crons: due at once, idle, and a month of the calendar (not part of all)
  undo             imports that change all contacts, with and without the record for taking them back, and taking
                   one back (not part of all)
  citus            a Citus cluster compared with PostgreSQL alone (not part of all); BENCH_CITUS_URL and
                   BENCH_POSTGRES_URL lead to empty databases
  --rows N   rows of the generated contact file, 1,000,000 by default`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: 'string', default: '1000000' }, help: { type: 'boolean', default: false } },
})
const [what] = positionals
const rows = Number(values.rows)
const kinds = [
  'import',
  'export',
  'search',
  'busy',
  'crowd',
  'dashboard',
  'fuzz',
  'growth',
  'point',
  'public',
  'retype',
  'schedule',
  'undo',
  'citus',
  'all',
]
if (values.help || what === undefined || !kinds.includes(what) || !Number.isInteger(rows) || rows < 1) {
  console.log(usage)
  process.exit(values.help ? 0 : 2)
}
if (what === 'citus') {
  const [citus, postgres] = [process.env['BENCH_CITUS_URL'], process.env['BENCH_POSTGRES_URL']]
  if (!citus || !postgres) throw new Error('Set BENCH_CITUS_URL and BENCH_POSTGRES_URL.')
  printReport(rows, await benchCitus({ citus, postgres }, await contactFile('bench')))
  process.exit(0)
}
const wants = (...some: string[]) => what === 'all' || some.includes(what)

console.log('Starting a portal…')
// The workers of this bench start runs that do nothing; the portal's own would export.
const settings = what === 'schedule' ? { PORTICO_ROLE: 'api' } : what === 'public' ? publicSettings : {}
const portal = await startPortal(settings)
const reference = await openReference(portal.databaseUrl)
const measurements: Measurement[] = []
try {
  if (what === 'fuzz') measurements.push(...(await benchFuzz(portal)))
  if (what === 'schedule') measurements.push(...(await benchSchedule(portal)))
  if (what === 'growth') {
    const files = { large: await contactFile('bench'), small: await contactFile('bench', Math.ceil(rows / 10)) }
    measurements.push(...(await benchGrowth(portal, files)))
  }
  if (what === 'undo') measurements.push(...(await benchUndo(portal, await changedFiles())))
  if (what === 'retype') measurements.push(...(await benchRetype(portal, await contactFile('bench'))))
  if (wants('import')) measurements.push(...(await benchImport(portal, reference, await contactFile('bench'))))
  if (wants('export', 'point') || what === 'public') {
    console.log('Loading contacts…')
    const file = await contactFile('bench')
    await portal.enterNewAccount()
    await loadContacts(portal, file)
    if (wants('export')) measurements.push(...(await benchExport(portal, reference, file)))
    if (wants('point')) measurements.push(...(await benchPoint(portal)))
    if (what === 'public') measurements.push(...(await benchPublic(portal, file)))
  }
  if (wants('search', 'busy', 'crowd', 'dashboard')) {
    console.log('Loading contacts, events and indexes…')
    await portal.enterNewAccount()
    const data = await loadSearchData(portal, await contactFile('places'))
    if (wants('search')) measurements.push(...(await benchSearch(portal, data)))
    if (wants('busy')) measurements.push(...(await benchBusy(portal, await contactFile('bench'))))
    if (wants('crowd')) measurements.push(...(await benchCrowd(portal)))
    if (wants('dashboard')) measurements.push(...(await benchDashboard(portal, data)))
  }
} finally {
  await reference.close()
  await portal.stop()
}
printReport(rows, measurements)

/** Returns the path of the generated file, which is kept for the next run. */
async function contactFile(kind: 'bench' | 'places', count = rows): Promise<string> {
  const path = join(tmpdir(), `portico-${kind}-${count}.csv`)
  if (existsSync(path)) return path
  console.log(`Writing ${path}…`)
  await writeContactFile(path, count, kind === 'places')
  return path
}

/** Returns files of the same people, each of which changes nearly all values of the one before. */
async function changedFiles(): Promise<string[]> {
  const files: string[] = []
  for (const seed of [20, 21, 22]) {
    const path = join(tmpdir(), `portico-changed-${seed}-${rows}.csv`)
    if (!existsSync(path)) await writeContactFile(path, rows, false, seed)
    files.push(path)
  }
  return files
}
