import type { AccountId } from '@portico/contract/accounts'
import type { FieldType } from '@portico/contract/contacts'
import type { RetypedUse } from '@portico/contract/fields'
import type { Stages } from '@portico/contract/filter'
import { isSameName } from '@portico/domain/names'
import type { CatalogueRow } from '#contacts'
import { compileAggregate, type ContactSource, openContactSource, openRetypedSource } from '#filters'
import { bindingDedupColumns } from '#imports'
import { uniqueIndexesOf } from '#indexes'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import type { FieldUses } from '#platform/rows/field-uses.ts'

type Asking = { db: Db; uses: readonly FieldUses[] }
type Found = { kind: RetypedUse['kind']; name: string; problem: string | null }

/** Everything stored that names a field, each with what would be wrong with it if the field had another type. */
export async function findRetypedUses(
  { db, uses }: Asking,
  account: AccountId,
  field: CatalogueRow,
  type: FieldType,
): Promise<Found[]> {
  const before = await openContactSource(db, account, { rows: null, isOwnQuery: true })
  const after = await openRetypedSource(db, account, { id: field.id, type })
  const all: Found[] = []
  for (const { kind, find, pipelines } of uses) {
    const broken = new Map<string, string>()
    for (const { name, stages } of (await pipelines?.(db, account)) ?? []) {
      const problem = problemOf(stages, after)
      // A problem that was there before is not due to the type.
      if (problem !== null && problemOf(stages, before) === null) broken.set(name, problem)
    }
    // A name that no field can have: whatever it would change names the field.
    for (const { name } of await find(db, account, { from: field.name, to: '\u0001' })) {
      all.push({ kind, name, problem: broken.get(name) ?? null })
    }
  }
  return all
}

/** Why stages do not compile; null if they do. */
function problemOf(stages: Stages, source: ContactSource): string | null {
  try {
    compileAggregate(stages, source)
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.message
  }
}

/** Why a field cannot get another type, as a sentence for users; null if it can. */
export async function findObstacle(
  { db }: Pick<Asking, 'db'>,
  account: AccountId,
  field: CatalogueRow,
  used: readonly Found[],
): Promise<string | null> {
  const dedup = await bindingDedupColumns(db, account)
  if (dedup.some((name) => isSameName(name, field.name)))
    return `Imports tell contacts apart by "${field.name}". With another type they would not find the contacts that are there.`
  const [unique] = await uniqueIndexesOf(db, account, field.id)
  if (unique !== undefined)
    return `The unique index "${unique}" holds this field, and different texts may become one value. Delete it first.`
  const broken = used.filter(({ kind, problem }) => kind === 'row rule' && problem !== null)
  if (broken.length > 0)
    return `The row rule of ${broken.map(({ name }) => name).join(', ')} would let no contact through. Change it first.`
  return null
}
