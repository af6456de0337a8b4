/** Bulk deletes: all contacts that match a filter, and their history. Exports for other modules. */
export { ContactPace } from './contact-pace.ts'
export { deleteRoutes } from './deletes.routes.ts'
export { runDeleteJob } from './deletes.jobs.ts'
export { runDelete, sweepAfterImport } from './delete-run.service.ts'
export { type DeleteRow, findDelete, lockDelete } from './deletes.queries.ts'
export { toDeleteRecord } from './deletes.service.ts'
export { forgetOldDeletes } from './erase.service.ts'
export {
  deleteKeptRows,
  hasKeptContacts,
  type KeptContacts,
  type KeptField,
  selectKeptContacts,
  selectKeptFields,
} from './kept-rows.queries.ts'
export { removeContacts, tablesBesideContacts, worthAnalyzing } from './remove-contacts.service.ts'
export { keepContacts } from './keep-contacts.service.ts'
export {
  deleteKeptOfMerge,
  deleteMergedEvents,
  insertMerge,
  selectMergesOf,
  updateMergeKept,
} from './merges.queries.ts'
export { type RestoreProgress, restoreProblem } from './restore-columns.ts'
export { isRestoring, keptLess, updateRestore } from './restores.queries.ts'
export {
  keptType,
  returnChanges,
  returnContacts,
  type ReturnedColumn,
  returnImportChanges,
  returnKeysAndEvents,
  returnPart,
  returnWrittenTexts,
  selectKeptTexts,
  selectKeptEventFields,
  selectTextSizes,
  selectTakenKeys,
} from './returned-rows.queries.ts'
export { deleteRegistration } from './registration.ts'
