import type { Registration } from '#platform/registration.ts'
import { schedulesMark } from './registration.queries.ts'

/** Registers the calendar as a list with live updates. */
export const schedulerRegistration: Registration = {
  changes: [{ list: 'schedules', action: 'scheduler::schedules::get', mark: schedulesMark }],
}
