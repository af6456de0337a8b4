/** The audit log: changes with actor, time and address. */
export { type AuditEntry, recordAudit } from './audit.queries.ts'
export { auditRoutes } from './audit.routes.ts'
export { changedValues } from './changed-values.ts'
