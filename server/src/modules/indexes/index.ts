/** Indexes of contacts: those that users make, built-in ones, and those that the portal keeps for searches. Exports for other modules. */
export {
  describeBrokenIndex,
  duplicateReason,
  findBrokenIndex,
  hasUniqueIndex,
  listUniqueIndexes,
  type UniqueIndex,
  withoutExample,
} from './broken-index.service.ts'
export { indexFields, uniqueIndexesOf } from './field-uses.ts'
export { builtForOf } from './index-key.ts'
export { indexRoutes } from './indexes.routes.ts'
export { listIndexes } from './index-list.service.ts'
export {
  type LookupIndex,
  listLookupIndexes,
  restoreLookupIndexes,
  setLookupIndexes,
} from './lookup-indexes.service.ts'
export { createIndex } from './indexes.service.ts'
export { reconcileIndexJob } from './indexes.jobs.ts'
export {
  createSearchNotes,
  dropTrigramIndexes,
  restoreTrigramIndexes,
  tendTrigramIndexes,
} from './trigram-indexes.service.ts'
export { findTrigramSupport } from './trigram-support.ts'
export { rebuildOutdatedIndexes, reconcileIndex } from './index-build.service.ts'
