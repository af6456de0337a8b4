import { type AbortableQueryOptions, sql, type Transaction } from 'kysely'
import { AppError } from '#platform/app-error.ts'
import { type Db, isCancelled } from '#platform/database.ts'
import { invalidFilter } from './filter-field.ts'

/** For whom a query runs: its connection, and a signal that is aborted when nobody waits for the answer any more. */
export type Asker = { db: Db; signal?: AbortSignal }

/** What each statement of a user's query has to be executed with. */
export type QueryOptions = AbortableQueryOptions

export const userQuerySeconds = 30

/**
 * Runs reading queries that a user worded: in a transaction that cannot write, stopped after 30 seconds, and cancelled
 * in the database when the client goes away.
 * @throws timed_out; invalid_filter for a regular expression that the database cannot read
 */
export async function userQuery<T>(
  { db, signal }: Asker,
  work: (tx: Transaction<object>, options: QueryOptions) => Promise<T>,
): Promise<T> {
  const options: QueryOptions = signal ? { signal, inflightQueryAbortStrategy: 'cancel query' } : {}
  try {
    return await db
      .transaction()
      .setAccessMode('read only')
      .execute(async (tx) => {
        await sql`SET LOCAL statement_timeout = ${sql.lit(userQuerySeconds * 1000)}`.execute(tx, options)
        return work(tx, options)
      })
  } catch (error) {
    throw signal?.aborted
      ? new AppError('timed_out', undefined, 'Nobody waits for the answer any more.')
      : toUserError(error)
  }
}

/** Errors of the database that are the filter's fault, in words for people; any other as it is. */
export function toUserError(error: unknown): unknown {
  if (isCancelled(error)) return new AppError('timed_out')
  if (sqlStateOf(error) === invalidRegularExpression && error instanceof Error) {
    return invalidFilter(`The filter is not valid: ${error.message}.`)
  }
  return error
}

const invalidRegularExpression = '2201B'

function sqlStateOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null
}
