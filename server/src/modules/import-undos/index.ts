/** Undoing imports of contacts: removes the contacts they created and restores the values they changed. */
export { importUndoRoutes } from './import-undos.routes.ts'
export { queueUndo } from './undo-request.service.ts'
export { runUndo } from './undo-run.service.ts'
