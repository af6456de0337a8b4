import { columns } from './contact-file.ts'
import type { Client, Portal } from './portal.ts'
import type { Reference } from './reference.ts'
import type { Measurement } from './report.ts'

type Job = { _id: string; status: string; recoveryError: string | null; startDate: string; lastActivityDate: string }

const plain = {
  fileDelimiter: 'comma',
  processBatchSize: 100,
  generatePURL: false,
  purlGenerationScope: 'account',
  dedupHashMatching: false,
  typeCasting: true,
  exportOnImportCompletion: false,
}
const withPurl = {
  ...plain,
  generatePURL: true,
  dedupHashMatching: true,
  purlColumns: ['First Name', 'Last Name'],
  dedupColumns: ['Email'],
}

const mapped = {
  ...plain,
  columnMapping: { 'First Name': 'Given Name', 'Last Name': 'Family Name', Company: null, Notes: null },
}

/** Waits until a job has ended. Returns its duration in milliseconds, as reported by the portal. */
export async function waitFor(portal: Client, path: string): Promise<number> {
  for (;;) {
    const job = await portal.get<Job>(path)
    if (job.status === 'rejected') throw new Error(`${path}: ${job.recoveryError}`)
    if (job.status === 'completed') return Date.parse(job.lastActivityDate) - Date.parse(job.startDate)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Waits until the condition is met. */
export async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 200))
}

let lastNumber = 0

async function timeImport(portal: Client, file: string, settings: object): Promise<number> {
  return waitFor(portal, await startImport(portal, file, settings))
}

/** Uploads the file and submits its import; returns the import's path. */
export async function startImport(portal: Client, file: string, settings: object = withPurl): Promise<string> {
  const { _id } = await portal.post<Job>('/contact-service/v1/imports', await draftOf(portal, file, settings))
  return `/contact-service/v1/imports/${_id}`
}

/** Uploads the file, a workbook or a CSV file, and returns the body of the call that imports or reviews it. */
async function draftOf(portal: Client, file: string, settings: object): Promise<object> {
  const filePath = file.endsWith('.xlsx') ? 'bench.xlsx' : 'bench.csv'
  await portal.upload(file, filePath)
  return { ...settings, filePath, name: `Benchmark ${++lastNumber}` }
}

/** Reviews an import of the file. Returns the time until the review is there, in milliseconds. */
async function timeReview(portal: Client, file: string): Promise<number> {
  const draft = await draftOf(portal, file, withPurl)
  const begin = performance.now()
  const { _id } = await portal.post<Job>('/contact-service/v1/import-reviews', draft)
  await waitUntil(async () => {
    const { status, recoveryError } = await portal.get<Job>(`/contact-service/v1/import-reviews/${_id}`)
    if (status === 'rejected') throw new Error(`review: ${recoveryError}`)
    return status === 'completed'
  })
  return performance.now() - begin
}

/** Exports all contacts as a workbook, to import it. Returns its path. */
async function makeWorkbook(portal: Client, file: string): Promise<string> {
  const { _id } = await portal.post<Job>('/contact-service/v1/exports', {
    name: 'Workbook',
    delimiter: 'xlsx',
    exportFields: columns.map(([name]) => name),
  })
  await waitFor(portal, `/contact-service/v1/exports/${_id}`)
  const { url } = await portal.get<{ url: string }>(`/contact-service/v1/downloads/${_id}.xlsx`)
  const path = `${file}.xlsx`
  await portal.download(url, path)
  return path
}

/**
 * Measures imports of the same file: new contacts with all options, known contacts, no options, as a workbook, mapped
 * columns. Reviews are compared with their imports.
 */
export async function benchImport(portal: Portal, reference: Reference, file: string): Promise<Measurement[]> {
  const raw = { name: 'COPY', milliseconds: await reference.copyIn(file) }
  const measure = async (work: string, settings: object, target?: Measurement['target']): Promise<Measurement> => {
    portal.memory.reset()
    const milliseconds = await timeImport(portal, file, settings)
    return { work, milliseconds, reference: raw, ...(target && { target }), peakBytes: portal.memory.peakBytes() }
  }
  const first = await measure('import: cast, dedup, PURL', withPurl, { ratio: 3 })
  const review = async (work: string, { milliseconds }: Measurement): Promise<Measurement> => {
    portal.memory.reset()
    const reference = { name: 'its import', milliseconds }
    const reviewed = { work, milliseconds: await timeReview(portal, file), reference, target: { ratio: 0.6 } }
    return { ...reviewed, peakBytes: portal.memory.peakBytes() }
  }
  const again = await measure('the same file again, every contact known', withPurl)
  const reviewedAgain = await review('review: the same file again', again)
  const workbook = await makeWorkbook(portal, file)
  await portal.enterNewAccount()
  const reviewed = await review('review: cast, dedup, PURL', first)
  const direct = await measure('import: cast only', plain, { ratio: 1.5 })
  await portal.enterNewAccount()
  portal.memory.reset()
  const fromWorkbook = {
    work: 'import: cast only, from a workbook',
    milliseconds: await timeImport(portal, workbook, plain),
    reference: { name: 'from CSV', milliseconds: direct.milliseconds },
    target: { ratio: 2 },
    peakBytes: portal.memory.peakBytes(),
  }
  await portal.enterNewAccount()
  const renamed = await measure('import: cast, two columns renamed, two left out', mapped)
  return [first, again, reviewed, reviewedAgain, direct, fromWorkbook, renamed]
}

/** Loads the file with all options. Returns the duration of the import in milliseconds. */
export async function loadContacts(portal: Client, file: string, settings: object = {}): Promise<number> {
  return timeImport(portal, file, { ...withPurl, ...settings })
}
