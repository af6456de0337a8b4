/** Imports: contact files become contacts. What other modules may use. */
export { emailImportFigures } from './import-email.service.ts'
export { importRoutes } from './imports.routes.ts'
export { runImportJob } from './imports.jobs.ts'
export type { ImportDeps } from './import-context.ts'
export { runImport } from './import-run.service.ts'
export { setImportDefaults } from './import-defaults.service.ts'
export { createImport, listImports } from './imports.service.ts'
export type { ImportRow as FinishedImport } from './imports.queries.ts'
