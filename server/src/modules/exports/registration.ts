import type { Registration } from '#platform/registration.ts'
import { isFileVisible, listExports } from './exports.service.ts'
import { exportFilters } from './filter-uses.queries.ts'
import {
  fileKeys,
  exportFiles,
  exportsMark,
  filesMark,
  updateFileRemoved,
  updateFileSize,
} from './registration.queries.ts'
import { renameInExports } from './renaming.service.ts'

/** Registers exports as jobs and as a list, and their files. */
export const exportRegistration: Registration = {
  jobs: { kind: 'export', action: 'contact-service::exports::get', list: listExports },
  fileKeys,
  renameJudged: renameInExports,
  filterUses: [exportFilters],
  files: {
    kind: 'export',
    label: 'export',
    usage: 'exports',
    select: exportFiles,
    isVisible: isFileVisible,
    updateSize: updateFileSize,
    updateRemoved: updateFileRemoved,
  },
  changes: [
    { list: 'exports', action: 'contact-service::exports::get', mark: exportsMark },
    { list: 'downloads', action: 'contact-service::downloads::get', mark: filesMark },
  ],
}
