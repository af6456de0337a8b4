import { deleteRegistration } from '#deletes'
import { exportRegistration } from '#exports'
import { importRegistration } from '#imports'
import { reportRegistration } from '#reports'
import { schedulerRegistrations } from '#scheduler'
import type { Registration } from '#platform/registration.ts'

/** Modules with jobs, finished files or lists with live updates. A new module adds itself here. */
export const registrations: readonly Registration[] = [
  importRegistration,
  exportRegistration,
  reportRegistration,
  deleteRegistration,
  ...schedulerRegistrations,
]
