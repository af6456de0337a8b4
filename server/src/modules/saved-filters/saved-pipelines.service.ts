import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AccountId } from '@portico/contract/accounts'
import { parsePipeline, parsePipelineText } from '@portico/domain/pipeline/pipeline-json'
import { savedIn, type SavedPipelines, withoutValues } from '@portico/domain/pipeline/rename-field'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { isUuid } from '#platform/ids.ts'
import type { StoredRenaming } from '#platform/rows/field-uses.ts'
import { freeing } from '#platform/waits/reading-limits.ts'
import { mostReplyBytes, replyTooLarge } from '#platform/waits/reply-limit.ts'
import { selectOwners, selectShownFilters } from './field-uses.queries.ts'
import { savedFilterStages } from './saved-filters.service.ts'

type Stored = ReturnType<SavedPipelines>

/**
 * The saved filters that the account can see, as they were when they were loaded: those that texts use, without the
 * values of their conditions.
 * @throws timed_out where even so they are too large to be held in memory
 */
export function savedPipelines(db: Db, account: AccountId): Pick<StoredRenaming, 'saved' | 'load'> {
  const found = new Map<string, Stored>()
  let letters = 0
  const keep = (id: string, pipeline: Stored): void => {
    const kept = pipeline && withoutValues(pipeline)
    letters += JSON.stringify(kept).length
    if (letters > mostReplyBytes) throw replyTooLarge()
    found.set(id, kept)
  }
  const load = async (ids: readonly string[]): Promise<void> => {
    for (let next = ids; ;) {
      const asked = next.filter((id) => isUuid(id) && !found.has(id))
      const owners = asked.length > 0 ? await selectOwners(db, account, asked) : []
      if (owners.length === 0) return
      for (const { id, account_id: owner } of owners) {
        keep(id, await freeing(() => (owner === account ? readOwn(db, account, id) : readShared(db, account, id))))
        await nextTurn()
      }
      next = owners.flatMap(({ id }) => savedIn(found.get(id) ?? []))
    }
  }
  return { saved: (id) => found.get(id) ?? null, load }
}

async function readOwn(db: Db, account: AccountId, id: string): Promise<Stored> {
  const [row] = await selectShownFilters(db, account, [id])
  return row ? parsePipelineText(row.aggregate_query) : null
}

/**
 * A filter of the parent account, with the filters it uses that are hidden here; null if one of them no longer exists.
 */
async function readShared(db: Db, account: AccountId, id: string): Promise<Stored> {
  try {
    const stages = await savedFilterStages(db, account, id)
    return stages && parsePipeline(stages)
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
