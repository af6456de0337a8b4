import type { Registration } from '#platform/registration.ts'
import { deletesMark } from './registration.queries.ts'

/** Registers deletes as a list only: recent activity does not show them, and they produce no files. */
export const deleteRegistration: Registration = {
  changes: [{ list: 'deletes', action: 'contact-service::offers::get', mark: deletesMark }],
}
