import type { AccountId } from '@portico/contract/accounts'
import type { ChangedType, FieldEntry } from '@portico/contract/fields'
import type { z } from 'zod'
import { recordAudit } from '#audit'
import { insertRetype, lockField, selectRetype } from '#contacts'
import { isRestoring } from '#deletes'
import { countUnendedImports, isComputingKeys, isTakingBack } from '#imports'
import type { Actor } from '#platform/actor.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Db, isUniqueViolation } from '#platform/database.ts'
import type { Caller } from '#platform/http/context.ts'
import type { Jobs } from '#platform/jobs/jobs.ts'
import type { FieldUses } from '#platform/rows/field-uses.ts'
import { toEntry } from './field-list.service.ts'
import { othersOf, rightsOf, underLocks, underRightsLock } from './field-locks.service.ts'
import { requireField } from './found-field.ts'
import { runRetypeJob } from './retypes.jobs.ts'
import type { Rank } from './shown-uses.ts'
import { hasTypeAlready } from './type-preview.service.ts'
import { countBroken, findObstacle, findRetypedUses } from './type-uses.service.ts'

type Changing = { db: Db; jobs: Jobs; caller: Pick<Caller, 'can' | 'rows'> & Rank; uses: readonly FieldUses[] }

/**
 * Has a job change the type of a field. The field has its type until all values are converted.
 * @throws not_found; invalid_input naming `reading`; in_use where something needs the type, or for another number of things that
 * would no longer work than the person was shown; field_busy while an import is unended or a delete is being undone, or the type is being changed
 */
export async function changeFieldType(
  { db, jobs, caller, uses }: Changing,
  account: AccountId,
  by: Actor,
  id: string,
  { reading, broken: expected }: z.output<typeof ChangedType>,
): Promise<FieldEntry> {
  const known = await requireField(db, account, caller, id, { ofAll: true })
  try {
    return await underLocks(db, account, async (tx) => {
      const row = await lockField(tx, account, known.id)
      if (!row || row.deleted_at !== null) throw new AppError('not_found')
      if (row.type === reading.type) throw invalidField('reading', hasTypeAlready)
      // Those that are submitted from now on wait for the change.
      if (await isTakingBack(tx, account)) throw new AppError('field_busy', undefined, isUndoing)
      if (await isRestoring(tx, account)) throw new AppError('field_busy', undefined, isUndoingDelete)
      if (await isComputingKeys(tx, account)) throw new AppError('field_busy', undefined, isComputing)
      if ((await countUnendedImports(tx, account)) > 0) throw new AppError('field_busy', undefined, isImporting)
      const find = (some: FieldUses[]) => findRetypedUses({ db: tx, uses: some }, account, row, reading.type)
      const used = await find(othersOf(uses))
      const broken = countBroken(used)
      const judge = async (): Promise<void> => {
        const usedInRights = await find(rightsOf(uses))
        const obstacle = await findObstacle({ db: tx, caller }, account, row, [...used, ...usedInRights])
        if (obstacle !== null) throw new AppError('in_use', undefined, obstacle)
        if (broken !== expected) throw new AppError('in_use', { broken }, otherBroken(broken))
      }
      return underRightsLock({ tx, uses }, account, judge, async (locked) => {
        const { actor: creator, via } = by
        const retypeId = await insertRetype(locked, account, {
          field: row.id,
          reading,
          creator,
          ...(via && { via }),
          now: new Date(),
        })
        await jobs.enqueue(locked, runRetypeJob, { account, retypeId }, { person: creator })
        await recordAudit(locked, {
          account,
          ...by,
          action: 'field type change started',
          subject: row.name,
          details: { id: row.id, type: { old: row.type, new: reading.type }, reading, broken },
        })
        return toEntry(row, undefined, undefined, await selectRetype(locked, account, retypeId))
      })
    })
  } catch (error) {
    throw isUniqueViolation(error) ? new AppError('field_busy', undefined, isChanging) : error
  }
}

const otherBroken = (broken: number): string =>
  `${broken} saved filters, dashboards and crons would no longer work with this type. Look at them and confirm their number.`

const isImporting = 'An import is running or waiting. Change the type when it has ended.'
const isUndoing = 'An import is being taken back. Change the type when that has ended.'
const isComputing = 'The dedup keys of contacts are being computed. Change the type when that has ended.'
const isUndoingDelete = 'A delete is being undone. Change the type when that has ended.'
const isChanging = 'The type of this field is being changed already.'
