/** The audit log: who changed what, when and from where. */
export { type AuditEntry, recordAudit } from './audit.queries.ts'
export { auditRoutes } from './audit.routes.ts'
