import { type ContactField, type ContactValue, enteredImport, insertContact, updatePurl } from '#contacts'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { FieldChange } from './changes.queries.ts'
import { keyRuleOf, mend, type Mender, namedFields, requireStillVisible, valueReader, writeKeys } from './mending.ts'
import { finishChange, recordChange } from './recorded-change.ts'

/**
 * Adds a contact with these values; a text of white space alone counts as no value. It gets the dedup key, coordinates
 * and PURL that the next import would give it.
 * @throws invalid_input naming the field; key_taken; value_taken; import_running; not_allowed for a contact that the
 * caller would not see
 */
export async function addContact(
  mender: Mender,
  sent: Readonly<Record<string, ContactValue>>,
): Promise<{ _id: string }> {
  const { account } = mender
  return mend(mender, { touchesKeys: true }, async (tx) => {
    const fields = await namedFields(tx, account)
    const read = await valueReader(tx, account)
    const values: { field: ContactField; value: ContactValue }[] = []
    for (const [name, value] of Object.entries(sent)) {
      const field = fields.find(name)
      if (values.some((other) => other.field.id === field.id)) throw invalidField(name, 'This field is named twice.')
      const known = await read(field, value)
      if (known !== null) values.push({ field, value: known })
    }
    if (values.length === 0) {
      const message = 'Enter at least one value.'
      throw new AppError('invalid_input', [{ field: 'values', message }], message)
    }
    const now = new Date()
    const recorded = values.map(({ field, value }): FieldChange => {
      return { field: field.id, name: field.name, from: null, to: value }
    })
    const change = await recordChange(tx, mender, null, { kind: 'added', fields: recorded, now })
    const id = change.contact_id
    await insertContact(tx, account, id, { values, now })
    // Before the keys, which may name a contact that the caller does not see.
    await requireStillVisible(tx, mender, id)
    const rule = await keyRuleOf(tx, account, enteredImport, fields)
    const base = await writeKeys(tx, mender, id, rule)
    // PURL numbers count within the account. If each import counts on its own, these count among contacts entered in
    // forms.
    if (rule.makesPurls && base !== null) await updatePurl(tx, account, id, { base, scope: 0 })
    // A rule may name the PURL.
    if (base !== null) await requireStillVisible(tx, mender, id)
    await finishChange(tx, mender, change)
    return { _id: id }
  })
}
