import { AppError } from '#platform/app-error.ts'
import { type Db, isCancelled, isOverTemporaryFiles } from '#platform/database.ts'
import { withReadOnlyConnection } from '#platform/reading.ts'
import { invalidFilter } from './filter-field.ts'
import { tooLongText } from './joined-text.ts'

/** The database of a query, and a signal that is aborted when its client disconnects. */
export type QueryContext = { db: Db; signal?: AbortSignal }

/**
 * Runs queries made from a user's filter on a read-only connection, each with a time-out of 30 seconds. They are
 * cancelled in the database when the client disconnects or `work` calls `cancel`. `areas`: of the memory of a pipeline
 * (`Tally`).
 * @throws timed_out; invalid_filter for a regular expression that the database cannot read, or a number it cannot hold
 */
export async function userQuery<T>(
  { db, signal }: QueryContext,
  work: (reader: Db, cancel: () => void) => Promise<T>,
  areas?: number,
): Promise<T> {
  try {
    return await withReadOnlyConnection(db, signal, work, areas)
  } catch (error) {
    throw toUserError(error)
  }
}

/** Converts database errors caused by a filter to errors for users; returns others unchanged. */
export function toUserError(error: unknown): unknown {
  const isGone = error instanceof Error && error.name === 'AbortError'
  if (isGone || isCancelled(error)) return new AppError('timed_out')
  if (isOverTemporaryFiles(error)) return new AppError('timed_out', undefined, tooMuchToSort)
  if (sqlStateOf(error) === invalidRegularExpression && error instanceof Error) {
    return invalidFilter(`The filter is not valid: ${error.message}.`)
  }
  const tooLong = sqlStateOf(error) === invalidText && error instanceof Error && tooLongText(error)
  if (tooLong) return invalidFilter(tooLong)
  if (sqlStateOf(error) === outOfRange) return invalidFilter('A number that the filter computes is too large.')
  return error
}

const tooMuchToSort = 'This was too much to sort or group, and was stopped. Narrow the filter, or use shorter texts.'

const invalidRegularExpression = '2201B'
const outOfRange = '22003'
const invalidText = '22P02'

function sqlStateOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null
}
