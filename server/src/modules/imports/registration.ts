import type { Registration } from '#platform/registration.ts'
import { importDefaultFields, importFields } from './uses/field-uses.ts'
import { selectReviewedUploads } from './review/review.queries.ts'
import { listImports } from './imports.service.ts'
import {
  fileKeys,
  importsMark,
  reportFiles,
  reportsMark,
  selectUploadsInUse,
  updateReportRemoved,
  updateReportSize,
} from './registration.queries.ts'

/** Registers imports as jobs and as a list, and their reports of rows set aside as files. */
export const importRegistration: Registration = {
  jobs: { kind: 'import', action: 'contact-service::imports::get', list: listImports },
  fieldUses: [importFields, importDefaultFields],
  fileKeys,
  files: {
    kind: 'import',
    label: 'set-aside report',
    usage: 'reports',
    select: reportFiles,
    // Rows set aside may belong to any contact.
    isVisible: async () => false,
    updateSize: updateReportSize,
    updateRemoved: updateReportRemoved,
  },
  changes: [
    { list: 'imports', action: 'contact-service::imports::get', mark: importsMark },
    { list: 'downloads', action: 'contact-service::downloads::get', mark: reportsMark },
  ],
  selectUploadsInUse: async (db, account) => [
    ...(await selectUploadsInUse(db, account)),
    ...(await selectReviewedUploads(db, account)),
  ],
}
