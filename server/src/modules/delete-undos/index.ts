/** Undoing bulk deletes: their contacts return with everything that was theirs. */
export { deleteUndoRoutes } from './delete-undos.routes.ts'
export { runRestore } from './restore-run.service.ts'
