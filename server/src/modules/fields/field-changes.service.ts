import type { AccountId } from '@portico/contract/accounts'
import { fieldNameMaxLength, internalFieldNames } from '@portico/contract/contacts'
import type { ChangedField, FieldEntry, FieldUse } from '@portico/contract/fields'
import { messages } from '@portico/contract/messages'
import { isSameName, tidyName } from '@portico/domain/names'
import { eventPrefix } from '@portico/domain/pipeline/pipeline'
import type { FieldRename } from '@portico/domain/pipeline/rename-field'
import type { z } from 'zod'
import { changedValues, recordAudit } from '#audit'
import { countUpFieldsVersion, countUpRemoteAccessVersion } from '#accounts'
import { savedPipelines } from '#saved-filters'
import { type CatalogueRow, lockField, selectCatalogue, updateField } from '#contacts'
import type { Actor } from '#platform/actor.ts'
import { AppError, invalidField } from '#platform/app-error.ts'
import { type Db, isUniqueViolation } from '#platform/database.ts'
import type { RenameJudged } from '#platform/registration.ts'
import type { FieldUses, StoredRenaming } from '#platform/rows/field-uses.ts'
import type { Caller } from '#platform/http/context.ts'
import { nextVersion, requireVersion } from '#platform/rows/versions.ts'
import { accountLock } from '#platform/waits/lock-keys.ts'
import { withLock } from '#platform/waits/locks.ts'
import { toEntry } from './field-list.service.ts'
import { othersOf, requireQuiet, rightsOf, underLocks, underRightsLock } from './field-locks.service.ts'
import { requireField } from './found-field.ts'
import { type Rank, shownName, usesInWords } from './shown-uses.ts'

type Followers = { uses: readonly FieldUses[]; judged: readonly RenameJudged[] }
type Changing = Followers & { db: Db; caller: Pick<Caller, 'can' | 'rows'> & Rank }
type Following = Followers & { tx: Db; caller: Rank }
type Draft = z.output<typeof ChangedField>

/**
 * Renames a field, everywhere it is used, or chooses its format. All of it is one transaction; contacts are not touched, since
 * their columns have numbers.
 * @throws not_found, invalid_input naming the field, name_taken, newer_version; field_busy while an import or export names fields
 * that it has yet to read; in_use for a name in a place that cannot follow
 */
export async function changeField(
  { db, caller, ...followers }: Changing,
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
  const change = (tx: Db) => saveField({ tx, caller, ...followers }, account, by, known.id, { ...draft, name })
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

async function saveField(
  following: Following,
  account: AccountId,
  by: Actor,
  id: number,
  { name, format, version }: Draft & { name: string },
): Promise<FieldEntry> {
  const { tx } = following
  const before = await lockField(tx, account, id)
  if (!before || before.deleted_at !== null) throw new AppError('not_found')
  requireVersion(before, version)
  const after = { name, format: format === undefined ? before.format : format }
  const changed = changedValues({ name: before.name, format: before.format }, after)
  if (Object.keys(changed).length === 0) return toEntry(before, undefined, undefined)
  const row = { ...after, ...nextVersion(before, by, Object.keys(changed)) }
  const write = async (written: Db, used: Record<string, number>): Promise<FieldEntry> => {
    await updateField(written, account, before, row)
    await countUpFieldsVersion(written, account)
    if (used['remote access'] !== undefined) await countUpRemoteAccessVersion(written, account)
    const details = { id, ...changed, ...(Object.keys(used).length > 0 && { usedIn: used }) }
    await recordAudit(written, { account, ...by, action: 'field changed', subject: name, details })
    return toEntry(await requireLocked(written, account, id), undefined, undefined)
  }
  if (name === before.name) return write(tx, {})
  return follow(following, account, by, { from: before.name, to: name }, write)
}

async function requireLocked(tx: Db, account: AccountId, id: number): Promise<CatalogueRow> {
  const row = await lockField(tx, account, id)
  if (!row) throw new AppError('not_found')
  return row
}

/** Writes the new name into everything that names the field, then calls `write` with how many things of each kind did. */
async function follow<T>(
  { tx, caller, uses, judged }: Following,
  account: AccountId,
  by: Actor,
  { from, to }: FieldRename,
  write: (locked: Db, used: Record<string, number>) => Promise<T>,
): Promise<T> {
  const shown = (await selectCatalogue(tx, account)).filter(({ deleted_at: at }) => at === null)
  const taken = shown.some(({ name }) => name !== from && isSameName(name, to))
  if (taken && !isSameName(from, to)) throw new AppError('name_taken', [{ field: 'name', message: messages.duplicate }])
  await requireQuiet(tx, account)
  const rename = { from, to, ...savedPipelines(tx, account) }
  const [rights, others] = [rightsOf(uses), othersOf(uses)]
  const used = await requireClear({ tx, caller, uses: others }, account, rename)
  const judge = async () => {
    const usedInRights = await requireClear({ tx, caller, uses: rights }, account, rename)
    const writes: ((locked: Db) => Promise<void>)[] = []
    for (const each of rights) if (each.rights) writes.push(await each.rights.prepareRename(tx, account, by, rename))
    return { usedInRights, writes }
  }
  const renameOthers = async (): Promise<void> => {
    // Saved filters come last: the others are read with the filters as they are before.
    const last = others.filter(({ kind }) => kind === 'filter')
    for (const each of [...others.filter((one) => !last.includes(one)), ...last])
      await each.rename?.(tx, account, by, rename)
    for (const renameJudged of judged) await renameJudged(tx, account, rename)
  }
  return underRightsLock(
    { tx, uses },
    account,
    judge,
    async (locked, { usedInRights, writes }) => {
      for (const writeRight of writes) await writeRight(locked)
      return write(locked, { ...used, ...usedInRights })
    },
    renameOthers,
  )
}

/** Requires that all uses can follow. Returns how many things of each kind name the field. @throws in_use */
async function requireClear(
  { tx, caller, uses }: Omit<Following, 'judged'>,
  account: AccountId,
  rename: StoredRenaming,
): Promise<Record<string, number>> {
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
  return used
}

const wouldDiffer =
  'would mean something else with this name: it has the new name already, as a name or a column of its own, or names the field only in part. Change it first, or choose another name.'

/** @throws in_use for things that are in the way of a new name. Some people do not see them, so their names are for administrators. */
function requireNone(caller: Rank, kind: FieldUse['kind'], things: readonly { name: string }[], reason: string): void {
  if (things.length === 0) return
  const names = things.map(({ name }) => shownName(caller, name))
  throw new AppError('in_use', undefined, `${usesInWords(kind, names)} ${reason}`)
}
