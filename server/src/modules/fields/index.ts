/** Fields: the catalogue of contact fields, which people keep: names, formats, and where each is used. */
export { removeDeletedFields, removeLeftColumns } from './field-deletes.service.ts'
export { fieldRoutes } from './fields.routes.ts'
export { deleteUnusedFields } from './field-removals.service.ts'
export { runRetype } from './retype-run.service.ts'
export { convertTexts } from './retype-values.ts'
export { runRetypeJob } from './retypes.jobs.ts'
export { selectUnused } from './used-fields.service.ts'
