import { Stages } from '@portico/contract/filter'
import type { AccountId } from '@portico/contract/accounts'
import { parsePipeline } from '@portico/domain/pipeline/pipeline-json'
import {
  compileAggregate,
  type ContactSource,
  expandPredefined,
  type FindPredefined,
  invalidFilter,
  openContactSource,
} from '#filters'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { findVisible } from './found-filter.ts'
import type { SavedFilterRow } from './saved-filters.queries.ts'

/** The stages of a stored filter, as they were saved. */
export const stagesOfRow = (row: SavedFilterRow): Stages => Stages.parse(JSON.parse(row.aggregate_query))

type OfParent = { row: SavedFilterRow; before: Stages; find: FindPredefined; source?: ContactSource | undefined }

/**
 * The stages of a filter that the parent account shows in this one, with the stages of the filters that it uses (`find`).
 * Where the parent account does not show one of these here, errors must not name its fields and values: all of the stages
 * must then fit the fields of this account, or those of `source`, for which the caller compiles them; and no stage `before` it
 * may make other fields or rows of these.
 * @throws invalid_filter if they do not
 */
export async function expandOfParent(
  db: Db,
  account: AccountId,
  { row, before, find, source }: OfParent,
): Promise<Stages> {
  let usesHidden = false
  const stages = await expandPredefined(stagesOfRow(row), async (id, preceding) => {
    const used = await findVisible(db, row.account_id, id)
    usesHidden ||= used?.show_in_subaccounts === false
    return find(id, preceding)
  })
  if (!usesHidden) return stages
  if (!parsePipeline(before).every(({ kind }) => kind === 'match')) {
    throw invalidFilter(
      `The saved filter "${row.name}" can be used only before stages that compute fields or choose rows otherwise.`,
    )
  }
  requireFit(row.name, stages, source ?? (await openContactSource(db, account, { rows: null })))
  return stages
}

function requireFit(name: string, stages: Stages, source: ContactSource): void {
  try {
    compileAggregate(stages, source)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_filter') throw error
    throw invalidFilter(`The saved filter "${name}" does not fit the fields of this account.`)
  }
}
