import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import { expandPredefined } from '#filters'
import { findSaved } from '#saved-filters'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'

/**
 * Returns a saved filter that narrows every cell; the right to use it is checked with each cell.
 * @throws invalid_filter if it no longer exists; cell_failed if it does more than select contacts
 */
export async function namedFilter(db: Db, account: AccountId, id: string | null): Promise<Stages> {
  if (id === null) return []
  const named = [{ $predefined: id }]
  const stages = await expandPredefined(named, findSaved(db, account))
  if (parsePipeline(stages).every(({ kind }) => kind === 'match')) return named
  throw new AppError('cell_failed', undefined, 'The saved filter does more than choose contacts.')
}
