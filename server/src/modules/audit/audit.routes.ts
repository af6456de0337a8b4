import { auditApi } from '@portico/contract/audit'
import type { AccountId } from '@portico/contract/accounts'
import type { FastifyInstance } from 'fastify'
import type { Database } from '#platform/database.ts'
import { serve } from '#platform/http/serving.ts'
import type { Storage } from '#platform/storage.ts'
import type { RepeatedEntries } from './repeated-entries.ts'
import { exportAudit, listAudit } from './audit.service.ts'

/** `newFileKey` creates a storage key; it comes from a later module. */
export function auditRoutes(
  app: FastifyInstance,
  { database, storage, repeated }: { database: Database; storage: Storage; repeated: RepeatedEntries },
  newFileKey: (account: AccountId) => string,
): void {
  serve(app, auditApi.listAudit, async ({ db, ...reader }, query) => {
    await repeated.flush()
    return listAudit(db, reader, query)
  })
  serve(app, auditApi.exportAudit, async ({ signal, ...reader }, { body }) => {
    await repeated.flush()
    return exportAudit({ database, storage, key: newFileKey(reader.account) }, reader, body, signal)
  })
}
