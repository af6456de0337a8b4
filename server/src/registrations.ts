import { accessRegistration } from '#access'
import { dashboardRegistration } from '#dashboards'
import { deleteRegistration } from '#deletes'
import { renameInDeliveries } from '#delivery'
import { indexFields } from '#indexes'
import { remoteAccessFields } from '#remote-access'
import { savedFilterFields, savedFilterUses } from '#saved-filters'
import { exportRegistration } from '#exports'
import { importRegistration } from '#imports'
import { reportRegistration } from '#reports'
import { schedulerRegistrations } from '#scheduler'
import { uploadKeys } from '#files'
import { photoKeys } from '#profile'
import type { FieldUses } from '#platform/rows/field-uses.ts'
import type { FilterUses } from '#platform/rows/filter-uses.ts'
import type { FileKeys, Registration, RenameJudged } from '#platform/registration.ts'

/** Modules with jobs, finished files or lists with live updates. A new module adds itself here. */
export const registrations: readonly Registration[] = [
  importRegistration,
  exportRegistration,
  reportRegistration,
  dashboardRegistration,
  accessRegistration,
  deleteRegistration,
  ...schedulerRegistrations,
]

/** The records of all kinds of files. An exported audit log has none: it is fetched at once, and then abandoned. */
export const fileKeys: readonly FileKeys[] = [
  uploadKeys,
  photoKeys,
  ...registrations.flatMap((registration) => registration.fileKeys ?? []),
]

/** All stored settings that name fields of contacts. */
export const fieldUses: readonly FieldUses[] = [
  savedFilterFields,
  indexFields,
  remoteAccessFields,
  ...registrations.flatMap((registration) => registration.fieldUses ?? []),
]

/** The requests by which finished files are judged. */
export const judgedRequests: readonly RenameJudged[] = [
  renameInDeliveries,
  ...registrations.flatMap(({ renameJudged }) => renameJudged ?? []),
]

/** All stored settings that name saved filters. */
export const filterUses: readonly FilterUses[] = [
  savedFilterUses,
  ...registrations.flatMap((registration) => registration.filterUses ?? []),
]
