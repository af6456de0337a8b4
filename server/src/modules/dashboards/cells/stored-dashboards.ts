import type { Definition } from '@portico/contract/dashboards/definition'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { requireCurrentVersion, requireDashboard } from '../found-dashboard.ts'
import { storedDefinition } from '../saving.service.ts'
import type { Viewer } from '../viewer.ts'
import type { Cells } from './cell-reading.ts'
import type { StoredDashboard } from './cells.service.ts'

/**
 * The dashboard that a viewer sees now, for its cells. Each cell is requested separately, and a version never changes,
 * so its definition is read once.
 * @throws not_found, newer_version if it is saved in between
 */
export async function readStoredDashboard(
  { definitions }: Pick<Cells, 'definitions'>,
  { db, signal, ...viewer }: Viewer & { db: Db; signal: AbortSignal },
  id: string,
): Promise<StoredDashboard> {
  const { version, holder } = await requireCurrentVersion(db, viewer, id)
  const { value: definition } = await definitions.answer(
    `${id.toLowerCase()} ${version}`,
    { signal, holds: () => true },
    () => readDefinition(db, viewer, id, version),
  )
  return { definition, version, saver: { holder } }
}

async function readDefinition(db: Db, viewer: Viewer, id: string, version: number): Promise<Definition> {
  const row = await requireDashboard(db, viewer, id)
  if (row.version !== version) throw new AppError('newer_version')
  return storedDefinition(row)
}
