import type { AccountId } from '@portico/contract/accounts'
import type { FieldType } from '@portico/contract/contacts'
import type { FieldUse } from '@portico/contract/fields'
import type { Stages } from '@portico/contract/filter'
import { isSameName } from '@portico/domain/names'
import type { CatalogueRow } from '#contacts'
import { compileAggregate, type ContactSource, expandPredefined, openContactSource, openRetypedSource } from '#filters'
import { bindingDedupColumns } from '#imports'
import { uniqueIndexesOf } from '#indexes'
import { AppError } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { type FieldUses, unusedName } from '#platform/rows/field-uses.ts'
import { freeing } from '#platform/waits/reading-limits.ts'
import { findSaved, savedPipelines } from '#saved-filters'
import { type Rank, shownName, usesInWords } from './shown-uses.ts'

/** Something stored that names a field. `problem`: the reason for which it would not work with another type; null if it would. */
export type FoundUse = { kind: FieldUse['kind']; name: string; problem: string | null }

type Searching = { db: Db; uses: readonly FieldUses[] }

/** Everything stored that names a field, each with the problem that it would have if the field had another type. */
export async function findRetypedUses(
  { db, uses }: Searching,
  account: AccountId,
  field: CatalogueRow,
  type: FieldType,
): Promise<FoundUse[]> {
  const before = await openContactSource(db, account, { rows: null, isOwnQuery: true })
  const after = await openRetypedSource(db, account, { id: field.id, type })
  const rename = { from: field.name, to: unusedName, ...savedPipelines(db, account) }
  const all: FoundUse[] = []
  for (const { kind, find, findStages, findMistyped } of uses) {
    const problems = new Map<string, string | null>()
    for (const { name } of await find(db, account, rename)) problems.set(name, null)
    for await (const { name, stages } of findStages?.(db, account, field.name) ?? []) {
      const problem = await findProblem(db, account, stages, after)
      // A problem that was there before is not due to the type.
      if (problem !== null && (await findProblem(db, account, stages, before)) === null) problems.set(name, problem)
    }
    for (const { name, problem } of (await findMistyped?.(db, account, field.name, type)) ?? []) {
      problems.set(name, problem)
    }
    all.push(...Array.from(problems, ([name, problem]) => ({ kind, name, problem })))
  }
  return all
}

/** The reason for which stages do not compile; null if they do. */
async function findProblem(db: Db, account: AccountId, stages: Stages, source: ContactSource): Promise<string | null> {
  try {
    compileAggregate(await freeing(() => expandPredefined(stages, findSaved(db, account, source))), source)
    return null
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.message
  }
}

/** These would forbid less, or allow nothing, and say nothing. All others say that they do not fit the type. */
const rights: readonly FieldUse['kind'][] = ['row rule', 'policy']

/** The uses that would no longer work, and that a person can consent to lose. */
export const countBroken = (used: readonly FoundUse[]): number =>
  used.filter(({ kind, problem }) => problem !== null && !rights.includes(kind)).length

/** The reason for which a field cannot get another type, as a sentence for users; null if it can. */
export async function findObstacle(
  { db, caller }: { db: Db; caller: Rank },
  account: AccountId,
  field: CatalogueRow,
  used: readonly FoundUse[],
): Promise<string | null> {
  const dedup = await bindingDedupColumns(db, account)
  if (dedup.some((name) => isSameName(name, field.name)))
    return `Imports tell contacts apart by "${field.name}". With another type they would not find the contacts that are there.`
  const unique = await uniqueIndexesOf(db, account, field.id)
  if (unique.length > 0)
    return `${subjectOf(caller, 'index', unique)} is unique and holds this field, and different texts may become one value. Delete it first.`
  for (const right of rights) {
    const broken = used.filter(({ kind, problem }) => kind === right && problem !== null)
    if (broken.length === 0) continue
    const names = broken.map(({ name }) => name)
    return `${subjectOf(caller, right, names)} compares this field with values of its type, and would judge otherwise. Change it first.`
  }
  return null
}

const subjectOf = (caller: Rank, kind: FieldUse['kind'], names: readonly string[]): string =>
  usesInWords(
    kind,
    names.map((name) => shownName(caller, name)),
  )
