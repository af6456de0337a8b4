import type { AccountId } from '@portico/contract/accounts'
import { exportsApi } from '@portico/contract/exports'
import { importsApi } from '@portico/contract/imports'
import type { z } from 'zod'
import { type ActsAs, actsAsRefusal, grantRefusal, requireActsAs } from '#credentials'
import type { Database } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { ImportRow } from './imports.queries.ts'

/**
 * Returns the right that an import uses: that of the caller's first identity that alone may import and, if requested,
 * export. The automatic export itself is checked once its fields are known.
 * @throws not_allowed
 */
export async function requireImporter(
  account: AccountId,
  caller: Caller,
  draft: z.output<typeof importsApi.createImport.body>,
): Promise<ActsAs> {
  const exports = draft.kind !== 'events' && draft.exportOnImportCompletion
  const storing = { account, call: 'createImport' as const, request: { params: {}, query: {}, body: draft } }
  const { actsAs } = await requireActsAs(caller, storing, (actor) =>
    exports ? actor.refusal(exportsApi.createExport, null) : null,
  )
  return actsAs
}

/**
 * Returns why an import that waits, or continues after a crash, is no longer allowed, in words for users; null while it
 * is.
 */
export function importRefusal(
  database: Pick<Database, 'db' | 'pool'>,
  account: AccountId,
  { acts_as: actsAs, holder }: Pick<ImportRow, 'acts_as' | 'holder'>,
): Promise<string | null> {
  if (actsAs) return actsAsRefusal(database, actsAs)
  // An import of the portal itself.
  if (holder === null) return Promise.resolve(null)
  // Of an earlier release, which did not store the request: checked by the right to import in general.
  return grantRefusal(database, { account, holder, access: importsApi.createImport.access, request: null })
}
