import type { Db } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'

/** Throws unless the caller has entered their password recently. Passed in, as sessions come later in the module order. */
export type StepUp = (db: Db, caller: Pick<Caller, 'kind' | 'sessionId'>) => Promise<void>
