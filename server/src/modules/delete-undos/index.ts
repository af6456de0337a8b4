/** Undoing bulk deletes: restores their contacts with all their data. */
export { deleteUndoRoutes } from './delete-undos.routes.ts'
export { runRestore } from './restore-run.service.ts'
