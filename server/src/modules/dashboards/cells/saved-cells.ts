import { contactsApi } from '@portico/contract/contacts'
import type { Definition } from '@portico/contract/dashboards/definition'
import { noInteraction } from '@portico/contract/dashboards/interaction-reading'
import { cellsOf } from '@portico/contract/dashboards/dashboard-cells'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { Caller, Refusal, RequestParts } from '#platform/http/context.ts'
import { UsedFilters } from '#saved-filters'
import type { Viewer } from '../viewer.ts'
import { offersRequests } from './cell-access.ts'
import { stagesOf, surroundingsOf } from './cell-plan.ts'

/** The requests that read the cells of a dashboard before anything is chosen in it, each with the cell's title. */
export type SavedCells = { title: string; requests: RequestParts[] }[]

/**
 * The cells of a definition that is being saved. A cell that cannot be read yet because a saved filter is missing is
 * judged when it is read.
 */
export async function savedCells(db: Db, { account, caller }: Viewer, definition: Definition): Promise<SavedCells> {
  const asking = { db, account, caller }
  const around = await surroundingsOf(asking, definition, noInteraction)
  const found: SavedCells = []
  for (const { id, chart } of cellsOf(definition)) {
    if (!chart) continue
    try {
      const stages = await stagesOf(asking, { chart, target: id, around }, new UsedFilters())
      found.push({ title: chart.title.trim() || chart.type, requests: offersRequests(chart, stages) })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
    }
  }
  return found
}

/** Why a caller may not read what the cells ask for; null if they may read everything. */
export function cellsRefusal(caller: Caller, cells: SavedCells): Refusal | null {
  const { access } = contactsApi.listOffers
  const refused = cells.find(({ requests }) => !requests.every((request) => caller.can(access, request)))
  if (!refused) return null
  const message = `Your policies do not allow the contacts that "${refused.title}" shows, so others could not see it by your right.`
  return { code: 'not_allowed', message }
}
