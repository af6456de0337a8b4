import type { ContactChange } from '@portico/contract/contact-edits'
import type { ViaKind } from '@portico/contract/audit'
import { countUpContactsVersion } from '#accounts'
import { recordAudit } from '#audit'
import { selectLastRecord } from '#imports'
import { keepWordsOfContact } from '#search'
import type { Db } from '#platform/database.ts'
import { type ChangeRow, type FieldChange, insertChange } from './changes.queries.ts'
import type { Mender } from './mending.ts'

/** The kind of a change, and the earlier one that it undoes. */
export type ChangeKind = { kind: ContactChange['kind']; undoes?: string; merged?: NonNullable<ContactChange['merged']> }

/** The account, and who changes one of its contacts. */
type Changer = Pick<Mender, 'account' | 'actor'>

/** Texts for means that are shown with a change. */
const meansInWords: Partial<Record<ViaKind, string>> = {
  credential: 'API credential',
  impersonation: 'Impersonation link',
}

const actions = {
  edited: 'contact edited',
  undone: 'contact change undone',
  added: 'contact added',
  merged: 'contacts merged',
} as const

/** Records a change in the history of its contact, which must be locked. The change that adds a contact also determines its number. */
export async function recordChange(
  tx: Db,
  { account, actor: { actor, via } }: Changer,
  contact: string | null,
  { kind, undoes, merged, fields, now }: ChangeKind & { fields: FieldChange[]; now: Date },
): Promise<ChangeRow> {
  const means = via && meansInWords[via.kind]
  const ofMerge = { merged_contact: merged?.contact ?? null, delete_id: merged?.delete ?? null }
  const lastImport = contact === null ? 0 : await selectLastRecord(tx, account, contact)
  const change = { at: now, kind, actor, undoes: undoes ?? null, last_import: lastImport, fields, ...ofMerge }
  return insertChange(tx, account, contact, {
    ...change,
    via: means ? [means, via.name].filter(Boolean).join(': ') : null,
  })
}

/**
 * Records the consequences of every change of a contact: the contact's words, the audit log, and the end of remembered
 * answers.
 */
export async function finishChange(tx: Db, { account, actor }: Changer, change: ChangeRow): Promise<void> {
  await keepWordsOfContact(tx, account, change.contact_id, change.at)
  await recordAudit(tx, {
    account,
    ...actor,
    action: actions[change.kind],
    subject: `contact ${change.contact_id}`,
    details: {
      change: change.id,
      ...(change.undoes !== null && { undoes: change.undoes }),
      ...(change.merged_contact !== null && { merged: change.merged_contact, delete: change.delete_id }),
      // Without values: readers of the log may not be allowed to see the contact, and the log outlives it.
      fields: change.fields.map(({ name }) => name),
    },
  })
  // Last, as other changes in the account wait for it.
  await countUpContactsVersion(tx, account)
}

/** The response to a change of fields that the caller may read. */
export const answerTo = (change: ChangeRow): ContactChange =>
  changeOnWire(
    change,
    change.fields.map(({ name, from, to }) => ({ field: name, from, to })),
    false,
  )

export function changeOnWire(
  { id, kind, actor, at, via, merged_contact: contact, delete_id: merge }: Omit<ChangeRow, 'fields' | 'last_import'>,
  values: ContactChange['values'],
  isUndone: boolean,
): ContactChange {
  const merged = contact === null || merge === null ? null : { contact, delete: merge }
  return { _id: id, kind, changedBy: actor, changedAt: at.toISOString(), via, values, isUndone, merged }
}
