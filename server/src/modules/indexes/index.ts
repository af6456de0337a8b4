/** Indexes of contacts: those that users make, and the portal's own. What other modules may use. */
export { describeBrokenIndex, hasUniqueIndex } from './broken-index.service.ts'
export { indexRoutes } from './indexes.routes.ts'
export { listIndexes } from './index-list.service.ts'
export { createIndex } from './indexes.service.ts'
export { settleIndexJob } from './indexes.jobs.ts'
export { rebuildOutdatedIndexes, settleIndex } from './index-build.service.ts'
