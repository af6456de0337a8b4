/** Exports: contacts written to a file for download. Exports for other modules. */
export { runExport } from './export-run.service.ts'
export { countUnendedExports } from './exports.queries.ts'
export { exportRoutes } from './exports.routes.ts'
export { runExportJob } from './exports.jobs.ts'
export { createExport, listExports } from './exports.service.ts'
export { exportConsumer } from './export-consumer.ts'
export { exportImport } from './auto-export.service.ts'
export { exportRegistration } from './registration.ts'
