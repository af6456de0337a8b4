/** The audit log: changes and sign-ins with actor, time, address and means. */
export { countAuditedSince } from './audit-log.queries.ts'
export { type AuditEntry, recordAudit } from './audit.queries.ts'
export { auditRoutes } from './audit.routes.ts'
export { changedValues } from './changed-values.ts'
export { createRepeatedEntries, recordRepeated, type RepeatedEntries } from './repeated-entries.ts'
export { accessChangesMark } from './audit-marks.queries.ts'
