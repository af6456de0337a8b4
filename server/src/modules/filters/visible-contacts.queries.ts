import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import { sql } from 'kysely'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { openContactSource } from './contact-source.ts'
import { compilePipeline } from './filter-pipeline.ts'
import { isRowNumber } from '#platform/ids.ts'

/**
 * Returns those of the contacts that `rows` let through, in the order of `ids`.
 * @throws row_rule_invalid
 */
export async function selectVisible(
  db: Db,
  account: AccountId,
  ids: readonly string[],
  rows: Stages | null,
): Promise<string[]> {
  if (rows === null || ids.length === 0) return [...ids]
  const source = await openContactSource(db, account, { rows, isOwnQuery: true })
  const found = await sql<{ id: string }>`
    SELECT contacts.id FROM ${source.scope().from()} WHERE contacts.id = ANY (${sql.val(ids)}::bigint[])`.execute(db)
  const visible = new Set(found.rows.map(({ id }) => id))
  return ids.filter((id) => visible.has(BigInt(id).toString()))
}

/** @throws not_found for a contact that `rows` hide, or an id that no contact has; row_rule_invalid */
export async function requireVisible(db: Db, account: AccountId, id: string, rows: Stages | null): Promise<void> {
  if (rows === null) return
  const isId = isRowNumber(id)
  if (!isId || (await selectVisible(db, account, [id], rows)).length === 0) throw new AppError('not_found')
}

/**
 * Checks a row rule by compiling it with the fields of the account.
 * @throws invalid_filter
 */
export async function checkRowRule(db: Db, account: AccountId, rule: Stages): Promise<void> {
  const { resolve } = (await openContactSource(db, account, { rows: null })).scope()
  compilePipeline(rule, resolve)
}
