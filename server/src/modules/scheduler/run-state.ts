import type { RunState, ScheduleStatus } from '@portico/contract/scheduler/schedules'
import { type RawBuilder, sql } from 'kysely'

/** The state of a run as screens show it: a completed run whose file was not delivered has its own state. */
export const stateOf = (run: { status: ScheduleStatus; is_undelivered: boolean }): RunState =>
  run.status === 'completed' && run.is_undelivered ? 'undelivered' : run.status

/** The same for a row of `schedules` named `s`. */
export const stateInSql: RawBuilder<RunState> = sql`
  CASE WHEN s.status = 'completed' AND s.is_undelivered THEN 'undelivered' ELSE s.status END`
