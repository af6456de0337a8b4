import { columns } from './contact-file.ts'
import { waitFor } from './import-bench.ts'
import type { Portal } from './portal.ts'
import type { Reference } from './reference.ts'
import type { Measurement } from './report.ts'

/** Measures exports and downloads: all contacts, with PURLs, zipped, as a workbook, and the matches of a filter. */
export async function benchExport(portal: Portal, reference: Reference, file: string): Promise<Measurement[]> {
  await reference.copyIn(file)
  const raw = { name: 'COPY TO', milliseconds: await reference.copyOut() }
  const measure = async (
    work: string,
    settings: { shouldZip?: true; delimiter?: 'xlsx'; [name: string]: unknown },
    target?: Measurement['target'],
  ): Promise<Measurement> => {
    portal.memory.reset()
    const { _id } = await portal.post<{ _id: string }>('/contact-service/v1/exports', {
      name: work,
      delimiter: 'csv',
      exportFields: columns.map(([name]) => name),
      ...settings,
    })
    const milliseconds = await waitFor(portal, `/contact-service/v1/exports/${_id}`)
    const ending = settings.shouldZip ? 'zip' : (settings.delimiter ?? 'csv')
    const { url } = await portal.get<{ url: string }>(`/contact-service/v1/downloads/${_id}.${ending}`)
    const bytes = await portal.download(url)
    if (bytes === 0) throw new Error(`${work}: the file is empty`)
    return { work, milliseconds, reference: raw, ...(target && { target }), peakBytes: portal.memory.peakBytes() }
  }
  return [
    await measure('export: all contacts', {}, { ratio: 1.2 }),
    await measure('export: with PURLs', { exportFields: [...columns.map(([name]) => name), 'purl'] }),
    await measure('export: all contacts, zipped', { shouldZip: true }),
    await measure('export: all contacts, as a workbook', { delimiter: 'xlsx' }),
    await measure('export: half of the contacts by a filter', {
      aggregateQuery: JSON.stringify([{ $match: { Active: true } }]),
    }),
  ]
}
