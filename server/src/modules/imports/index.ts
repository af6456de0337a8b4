/** Imports: contact files become contacts. Exports for other modules. */
export { emailImportFigures } from './import-email.service.ts'
export { contactAccountRoutes } from './contact-accounts.routes.ts'
export { selectImportsAt } from './uses/field-uses.queries.ts'
export { countUnendedImports } from './imports.queries.ts'
export { importRoutes } from './imports.routes.ts'
export { reviewImportJob, runImportJob } from './imports.jobs.ts'
export type { ImportDeps } from './import-context.ts'
export { dropLeftTables, removeLeftOfImports } from './left-tables.service.ts'
export { deleteReviewsBefore, firstReviewId } from './review/review.queries.ts'
export { runReview } from './review/review-run.service.ts'
export { runImport } from './import-run.service.ts'
export { setImportDefaults } from './import-defaults.service.ts'
export { createImport, findImport, listImports } from './imports.service.ts'
export { toImport } from './import-on-wire.ts'
export type { ImportRow as FinishedImport } from './imports.queries.ts'
export { computeKeys, findDedupFields, findKeyRule, type KeyRule } from './loading/contact-keys.service.ts'
export {
  holdImports,
  type ImportRules,
  isUnended,
  selectImportAt,
  selectImportRules,
  selectRecordingImports,
  selectUndoneImports,
} from './ruling-imports.queries.ts'
export {
  insertKeyComputation,
  isComputingKeys,
  type KeyComputationRow,
  lockKeyComputation,
  selectKeyComputationBefore,
  selectLastKeyComputation,
  updateKeyComputation,
} from './late-keys/key-computations.queries.ts'
export { giveDedupKeys } from './late-keys/give-keys.service.ts'
export {
  countContactsToKey,
  countWithoutKeys,
  hasContactsToKey,
  importsWithOwnKeys,
} from './late-keys/keyless.service.ts'
export { areSameNames, dedupFieldNames, namesOf } from './late-keys/late-dedup.service.ts'
export { firstContactId } from './loading/match.queries.ts'
export { importRegistration } from './registration.ts'
export { analyzeEvents } from './events/event-import.queries.ts'
export type { EventIds } from './events/event-ids.ts'
export { countImportedEvents, deleteImportedEvents, selectTakenBackEvents } from './undo/imported-events.queries.ts'
export {
  countUnused,
  recordKept,
  releaseEmptied,
  selectCreatedContacts,
  selectKeptContacts,
  selectUnused,
} from './undo/created-contacts.queries.ts'
export { selectLastRecord } from './undo/record-changes.queries.ts'
export { forgetOldImports } from './undo/old-records.service.ts'
export type { LaterEdits } from './undo/later-records.queries.ts'
export { passOnUnmerged, selectFirstImports } from './undo/merged-values.service.ts'
export { selectRecordedContacts } from './undo/returned-values.queries.ts'
export { type UndoProgress, undoProblem } from './undo/undo-columns.ts'
export { isTakingBack, lockImport, updateUndo } from './undo/undo-rows.queries.ts'
export { forecastUndo, returnChangedValues, returnMissedValues } from './undo/undo.service.ts'
export { readerOf } from './reading/column-readings.ts'
export { bindingDedupColumns } from './uses/field-uses.ts'
