import { setTimeout as sleep } from 'node:timers/promises'
import type { AccountId } from '@portico/contract/accounts'
import { fieldNameMaxLength, internalFieldNames } from '@portico/contract/contacts'
import type { ChangedField, FieldEntry, FieldUse } from '@portico/contract/fields'
import { messages } from '@portico/contract/messages'
import { isSameName, tidyName } from '@portico/domain/names'
import { eventPrefix } from '@portico/domain/pipeline/pipeline'
import type { z } from 'zod'
import { changedValues, recordAudit } from '#audit'
import { countUpFieldsVersion } from '#accounts'
import { readSavedPipelines } from '#saved-filters'
import { type CatalogueRow, lockField, selectCatalogue, updateField } from '#contacts'
import { countUnendedExports } from '#exports'
import { countUnendedImports } from '#imports'
import type { Actor } from '#platform/actor.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Db, isUniqueViolation } from '#platform/database.ts'
import type { FieldUses, Renaming } from '#platform/rows/field-uses.ts'
import type { Caller } from '#platform/http/context.ts'
import { nextVersion, requireVersion } from '#platform/rows/versions.ts'
import { accountLock, portalLock } from '#platform/waits/lock-keys.ts'
import { withLock } from '#platform/waits/locks.ts'
import { toEntry } from './field-list.service.ts'
import { requireField } from './found-field.ts'
import { type Rank, shownName, usesInWords } from './shown-uses.ts'

type Changing = { db: Db; caller: Pick<Caller, 'can'> & Rank; uses: readonly FieldUses[] }
type Following = { tx: Db; caller: Rank; uses: readonly FieldUses[] }
type Draft = z.output<typeof ChangedField>

/**
 * Renames a field, everywhere it is used, or chooses its format. All of it is one transaction; contacts are not touched, since
 * their columns have numbers.
 * @throws not_found, invalid_input naming the field, name_taken, newer_version; field_busy while an import or export names fields
 * that it has yet to read; in_use for a name in a place that cannot follow
 */
export async function changeField(
  { db, caller, uses }: Changing,
  account: AccountId,
  by: Actor,
  id: string,
  draft: Draft,
): Promise<FieldEntry> {
  const known = await requireField(db, account, caller, id)
  if (draft.format && known.type !== 'number') throw invalidField('format', 'Only a number field has a format.')
  if (draft.format?.currency && draft.format.style !== 'currency')
    throw invalidField('format', 'Only the style "currency" has a currency.')
  const name = draft.name === undefined ? known.name : readName(draft.name)
  const change = (tx: Db) => saveField({ tx, caller, uses }, account, by, known.id, { ...draft, name })
  try {
    return await (name === known.name
      ? withLock(db, accountLock('unendedImports', account), change)
      : underLocks(db, account, change))
  } catch (error) {
    throw isUniqueViolation(error)
      ? new AppError('name_taken', [{ field: 'name', message: messages.duplicate }])
      : error
  }
}

/** The rules for names of columns in files (import, step 2). @throws invalid_input naming `name` */
function readName(text: string): string {
  const name = tidyName(text)
  const refuse = (message: string) => invalidField('name', message)
  if (name === '') throw refuse(messages.required)
  if (Array.from(name).length > fieldNameMaxLength) throw refuse(`Use at most ${fieldNameMaxLength} characters.`)
  // oxlint-disable-next-line no-control-regex -- names must not contain them
  if (/[\u0000-\u001f\u007f]/.test(name))
    throw refuse('Use no line breaks, tabs or other characters that cannot be displayed.')
  if (internalFieldNames.some((internal) => isSameName(internal, name))) throw refuse('This name is reserved.')
  if (isSameName(name.slice(0, eventPrefix.length), eventPrefix))
    throw refuse(`Names that begin with "${eventPrefix}" are those of event fields.`)
  return name
}

/** The locks under which things that name fields are saved. */
const savedByNames = [
  'unendedImports',
  'unendedExports',
  'savedFilters',
  'crons',
  'dashboards',
  'remoteAccesses',
  'customIndexes',
  'importDefaults',
] as const

// Work under a lock of an account may last seconds. Others who change rights must not wait for it.
const attemptMs = 200
const pauseMs = 300
const mostMs = 10_000

/**
 * Runs the change while no one saves anything that names fields, in the one order in which all these locks are taken together. The
 * lock of all accounts' rights is among them: it is given back while another one is taken, and tried again.
 * @throws unavailable after ten seconds
 */
export async function underLocks<T>(db: Db, account: AccountId, work: (tx: Db) => Promise<T>): Promise<T> {
  const end = performance.now() + mostMs
  for (;;) {
    let hasBegun = false
    const begin = (tx: Db): Promise<T> => {
      hasBegun = true
      return work(tx)
    }
    try {
      return await takeLocks(db, account, begin)
    } catch (error) {
      const isBusy = error instanceof AppError && error.code === 'unavailable'
      if (!isBusy || hasBegun || performance.now() > end) throw error
      await sleep(pauseMs)
    }
  }
}

async function takeLocks<T>(db: Db, account: AccountId, work: (tx: Db) => Promise<T>): Promise<T> {
  const keys = savedByNames.map((name) => accountLock(name, account))
  const take = (at: number, held: Db): Promise<T> => {
    const key = keys[at]
    return key === undefined ? work(held) : withLock(held, key, (tx) => take(at + 1, tx), { waitMs: attemptMs })
  }
  // First, so that people of one account who change fields at once are one in the line of all who change rights.
  return withLock(db, accountLock('fieldChanges', account), (tx) =>
    withLock(tx, portalLock('access'), (locked) => take(0, locked)),
  )
}

async function saveField(
  { tx, caller, uses }: Following,
  account: AccountId,
  by: Actor,
  id: number,
  { name, format, version }: Draft & { name: string },
): Promise<FieldEntry> {
  const before = await lockField(tx, account, id)
  if (!before || before.deleted_at !== null) throw new AppError('not_found')
  requireVersion(before, version)
  const after = { name, format: format === undefined ? before.format : format }
  const changed = changedValues({ name: before.name, format: before.format }, after)
  if (Object.keys(changed).length === 0) return toEntry(before, undefined, undefined)
  const used =
    name === before.name
      ? {}
      : await follow({ tx, caller, uses }, account, by, {
          from: before.name,
          to: name,
          saved: await readSavedPipelines(tx, account),
        })
  await updateField(tx, account, before, { ...after, ...nextVersion(before, by, Object.keys(changed)) })
  await countUpFieldsVersion(tx, account)
  const details = { id, ...changed, ...(Object.keys(used).length > 0 && { usedIn: used }) }
  await recordAudit(tx, { account, ...by, action: 'field changed', subject: name, details })
  return toEntry(await requireLocked(tx, account, id), undefined, undefined)
}

async function requireLocked(tx: Db, account: AccountId, id: number): Promise<CatalogueRow> {
  const row = await lockField(tx, account, id)
  if (!row) throw new AppError('not_found')
  return row
}

/** Writes the new name into everything that names the field. Returns how many things of each kind did. */
async function follow(
  { tx, caller, uses }: Following,
  account: AccountId,
  by: Actor,
  rename: Renaming,
): Promise<Record<string, number>> {
  const shown = (await selectCatalogue(tx, account)).filter(({ deleted_at: at }) => at === null)
  const taken = shown.some(({ name }) => name !== rename.from && isSameName(name, rename.to))
  if (taken && !isSameName(rename.from, rename.to))
    throw new AppError('name_taken', [{ field: 'name', message: messages.duplicate }])
  await requireQuiet(tx, account)
  const used: Record<string, number> = {}
  for (const { kind, find, findUnclear } of uses) {
    const found = await find(tx, account, rename)
    requireNone(
      caller,
      kind,
      found.filter(({ isElsewhere }) => isElsewhere),
      'names this field and cannot follow, since it counts in other accounts too. Change it first.',
    )
    requireNone(caller, kind, (await findUnclear?.(tx, account, rename)) ?? [], wouldDiffer)
    if (found.length > 0) used[kind] = found.length
  }
  for (const { rename: follows } of uses) await follows?.(tx, account, by, rename)
  return used
}

/** @throws field_busy while an import or export has not ended: it names fields that it has yet to read */
export async function requireQuiet(tx: Db, account: AccountId): Promise<void> {
  const unended = (await countUnendedImports(tx, account)) + (await countUnendedExports(tx, account))
  if (unended > 0) throw new AppError('field_busy')
}

const wouldDiffer =
  'would mean something else with this name: it has the new name already, as a name or a column of its own, or names the field only in part. Change it first, or choose another name.'

/** @throws in_use for things that are in the way of a new name. Some people do not see them, so their names are for administrators. */
function requireNone(caller: Rank, kind: FieldUse['kind'], things: readonly { name: string }[], reason: string): void {
  if (things.length === 0) return
  const names = things.map(({ name }) => shownName(caller, name))
  throw new AppError('in_use', undefined, `${usesInWords(kind, names)} ${reason}`)
}
