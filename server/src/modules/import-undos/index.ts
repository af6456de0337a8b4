/** Taking back imports of contacts: what they created goes, and the values return that they changed. */
export { importUndoRoutes } from './import-undos.routes.ts'
export { queueUndo } from './undo-request.service.ts'
export { runUndo } from './undo-run.service.ts'
