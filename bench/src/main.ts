import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeContactFile } from './contact-file.ts'
import { benchExport } from './export-bench.ts'
import { benchImport, loadContacts } from './import-bench.ts'
import { benchPoint } from './point-bench.ts'
import { startPortal } from './portal.ts'
import { openReference } from './reference.ts'
import { type Measurement, printReport } from './report.ts'
import { benchSearch } from './search-bench.ts'

const usage = `npm run bench -- import|export|search|point|all [--rows N]

Measures a real portal over HTTP beside what PostgreSQL alone takes for the same data in the same run.
  --rows N   rows of the generated contact file, 1,000,000 unless said otherwise`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: 'string', default: '1000000' }, help: { type: 'boolean', default: false } },
})
const [what] = positionals
const rows = Number(values.rows)
const kinds = ['import', 'export', 'search', 'point', 'all']
if (values.help || what === undefined || !kinds.includes(what) || !Number.isInteger(rows) || rows < 1) {
  console.log(usage)
  process.exit(values.help ? 0 : 2)
}

const file = join(tmpdir(), `portico-bench-${rows}.csv`)
if (!existsSync(file)) {
  console.log(`Writing ${file}…`)
  await writeContactFile(file, rows)
}
console.log('Starting a portal…')
const portal = await startPortal()
const reference = await openReference(portal.databaseUrl)
const measurements: Measurement[] = []
try {
  if (what === 'import' || what === 'all') measurements.push(...(await benchImport(portal, reference, file)))
  if (what !== 'import') {
    console.log('Loading contacts…')
    await portal.enterNewAccount()
    await loadContacts(portal, file)
  }
  if (what === 'export' || what === 'all') measurements.push(...(await benchExport(portal, reference, file)))
  if (what === 'search' || what === 'all') measurements.push(...(await benchSearch(portal, reference)))
  if (what === 'point' || what === 'all') measurements.push(...(await benchPoint(portal)))
} finally {
  await reference.close()
  await portal.stop()
}
printReport(rows, measurements)
