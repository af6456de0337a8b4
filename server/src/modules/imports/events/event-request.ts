import type { NewEventImport } from '@portico/contract/imports'
import type { AccountId } from '@portico/contract/accounts'
import type { z } from 'zod'
import { isSameName } from '@portico/domain/names'
import { invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { findKeyField } from './event-plan.ts'

/**
 * Converts the draft of an event import to a row. PURLs and other settings of contacts are off.
 * @throws invalid_input naming the field
 */
export async function toEventRow(db: Db, account: AccountId, draft: z.output<typeof NewEventImport>) {
  const key = await findKeyField(db, account, draft.keyField)
  if (!key) throw invalidField('keyField', `Contacts have no field "${draft.keyField}".`)
  const mapped = Object.keys(draft.columnMapping ?? {})
  if (mapped.some((name) => isSameName(name, draft.keyColumn))) {
    throw invalidField('columnMapping', `"${draft.keyColumn}" is the key column, which cannot be mapped.`)
  }
  return {
    kind: 'events' as const,
    name: draft.name,
    key_column: draft.keyColumn,
    key_field: key.name,
    type_casting: draft.typeCasting ?? false,
    notification_emails: draft.notificationEmails ?? [],
    on_mismatch: draft.onMismatch ?? ('cell' as const),
    on_mismatch_by_field: null,
    column_types: null,
    column_mapping: draft.columnMapping ? JSON.stringify(draft.columnMapping) : null,
    batch_size: draft.processBatchSize,
    delimiter: draft.fileDelimiter,
    header_line: draft.headerLine ?? null,
    name_columns: draft.nameColumns ?? false,
    generate_purl: false,
    purl_scope: 'account' as const,
    same_purl: false,
    auto_export: false,
    purl_columns: [],
    dedup_columns: [],
  }
}
