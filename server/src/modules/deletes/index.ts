/** Bulk deletes: all contacts that match a filter, and their history. Exports for other modules. */
export { deleteRoutes } from './deletes.routes.ts'
export { runDeleteJob } from './deletes.jobs.ts'
export { runDelete, sweepAfterImport } from './delete-run.service.ts'
export { lockContacts } from './deletes.queries.ts'
export { inTurn, removeContacts } from './remove-contacts.service.ts'
export { deleteRegistration } from './registration.ts'
