import type { Client, Portal } from './portal.ts'
import type { Reference } from './reference.ts'
import type { Measurement } from './report.ts'

type Job = { _id: string; status: string; recoveryError: string | null; startDate: string; lastActivityDate: string }

const plain = {
  filePath: 'bench.csv',
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
  await portal.upload(file, 'bench.csv')
  const { _id } = await portal.post<Job>('/contact-service/v1/imports', {
    ...settings,
    name: `Benchmark ${++lastNumber}`,
  })
  return `/contact-service/v1/imports/${_id}`
}

/** Measures imports of the same file: new contacts with all options, known contacts, no options, mapped columns. */
export async function benchImport(portal: Portal, reference: Reference, file: string): Promise<Measurement[]> {
  const raw = { name: 'COPY', milliseconds: await reference.copyIn(file) }
  const measure = async (work: string, settings: object, target?: Measurement['target']): Promise<Measurement> => {
    portal.memory.reset()
    const milliseconds = await timeImport(portal, file, settings)
    return { work, milliseconds, reference: raw, ...(target && { target }), peakBytes: portal.memory.peakBytes() }
  }
  const first = await measure('import: cast, dedup, PURL', withPurl, { ratio: 3 })
  const again = await measure('the same file again, every contact known', withPurl)
  await portal.enterNewAccount()
  const direct = await measure('import: cast only', plain, { ratio: 1.5 })
  await portal.enterNewAccount()
  const renamed = await measure('import: cast, two columns renamed, two left out', mapped)
  return [first, again, direct, renamed]
}

/** Loads the file with all options. Returns the duration of the import in milliseconds. */
export async function loadContacts(portal: Client, file: string, settings: object = {}): Promise<number> {
  return timeImport(portal, file, { ...withPurl, ...settings })
}
