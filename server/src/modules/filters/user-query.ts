import { AppError } from '#platform/app-error.ts'
import { type Db, isCancelled, withReadOnlyConnection } from '#platform/database.ts'
import { invalidFilter } from './filter-field.ts'

/** For whom a query runs: its database, and a signal that is aborted when nobody waits for the answer any more. */
export type Asker = { db: Db; signal?: AbortSignal }

/**
 * Runs reading queries that a user worded: on a connection that cannot write, each stopped after 30 seconds, and
 * cancelled in the database when the client goes away, or `work` says so.
 * @throws timed_out; invalid_filter for a regular expression that the database cannot read, or a number it cannot hold
 */
export async function userQuery<T>(
  { db, signal }: Asker,
  work: (reader: Db, cancel: () => void) => Promise<T>,
): Promise<T> {
  try {
    return await withReadOnlyConnection(db, signal, work)
  } catch (error) {
    throw toUserError(error)
  }
}

/** Errors of the database that are the filter's fault, in words for people; any other as it is. */
export function toUserError(error: unknown): unknown {
  const isGone = error instanceof Error && error.name === 'AbortError'
  if (isGone || isCancelled(error)) return new AppError('timed_out')
  if (sqlStateOf(error) === invalidRegularExpression && error instanceof Error) {
    return invalidFilter(`The filter is not valid: ${error.message}.`)
  }
  if (sqlStateOf(error) === outOfRange) return invalidFilter('A number that the filter works out is too large.')
  return error
}

const invalidRegularExpression = '2201B'
const outOfRange = '22003'

function sqlStateOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null
}
