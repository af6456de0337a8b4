import { z } from 'zod'
import { FieldValue } from './contacts.ts'
import { Instant } from './jobs.ts'
import type { Route } from './route.ts'

/** The value of a field; null for none. A text of only white space counts as none. */
const Value = FieldValue.nullable()

/** A value before and after a change. */
const ValueChange = z.strictObject({
  from: Value.describe('The value that was read before; null where the contact had none.'),
  to: Value.describe('The new value; null clears the field. A moment without a time zone is in that of the account.'),
})

/** More than a form shows. */
const mostFields = 1000

const hasSome = (values: object): boolean => Object.keys(values).length > 0
const hasRoom = (values: object): boolean => Object.keys(values).length <= mostFields

export const ContactEdit = z.strictObject({
  changes: z
    .record(z.string(), ValueChange)
    .refine(hasSome, 'Name at least one field.')
    .refine(hasRoom, `At most ${mostFields} fields can be changed at once.`)
    .describe('By the name of the field.'),
})

export const NewContact = z.strictObject({
  values: z
    .record(z.string(), Value)
    .refine(hasSome, 'Enter at least one value.')
    .refine(hasRoom, `At most ${mostFields} values can be entered at once.`)
    .describe('By the name of the field.'),
})

/** Which of two values a contact has after a merge: its own, or that of the other contact. */
export const MergeChoice = z.enum(['kept', 'other'])
export type MergeChoice = z.output<typeof MergeChoice>

export const ContactMerge = z.strictObject({
  other: z.string().describe('The contact that is merged into this one, and deleted.'),
  fields: z
    .record(
      z.string(),
      z.strictObject({
        kept: Value.describe('The value of the contact that stays, as read before.'),
        other: Value.describe('The value of the other contact, as read before.'),
        wins: MergeChoice.optional().describe(
          'Without it, the value of the contact that stays, or that of the other one where it has none.',
        ),
      }),
    )
    .refine(hasRoom, `Contacts that differ in more than ${mostFields} fields cannot be merged.`)
    .default({})
    .describe('By the name of the field: all fields in which the two contacts differ.'),
})
export type ContactMerge = z.input<typeof ContactMerge>

export const ContactChange = z.object({
  _id: z.string(),
  /**
   * `added`: the contact was entered in a form; `undone`: an earlier change was undone; `merged`: another contact was merged
   * into it.
   */
  kind: z.enum(['edited', 'undone', 'added', 'merged']),
  changedBy: z.string(),
  changedAt: Instant,
  /** How it was done, if not in a session: an API credential or an impersonation link. */
  via: z.string().nullable(),
  values: z.array(
    z.object({
      field: z.string(),
      from: Value,
      to: Value,
      shortened: z
        .array(z.enum(['from', 'to']))
        .optional()
        .describe('Which of them are only the beginning of a text. Taking the change back brings all of it.'),
    }),
  ),
  /** Whether a later change has undone it. */
  isUndone: z.boolean(),
  /** Of a merge and of its undo: the other contact, and the delete by which the merge is undone. */
  merged: z.object({ contact: z.string(), delete: z.string() }).nullable(),
})
export type ContactChange = z.output<typeof ContactChange>

/**
 * An entry of `details` of `value_changed`. `changedBy` is a person, a program or an import; null where it is not known.
 */
export type ChangedValue = {
  /** Of a merge: the contact that has changed. */
  contact?: string
  field: string
  /** The value that was sent as the current one. */
  expected: z.output<typeof Value>
  current: z.output<typeof Value>
  changedBy: string | null
  changedAt: string | null
}

const params = z.object({ id: z.string() })
const refusals = ['value_changed', 'key_taken', 'value_taken', 'contact_busy', 'import_running'] as const

export const contactEditsApi = {
  addOffer: {
    method: 'POST',
    path: '/contact-service/v1/offers',
    summary: 'Add a contact. It gets a dedup key and a PURL by the rules of the imports',
    access: 'contact-service::offers::post',
    stores: false,
    body: NewContact,
    reply: z.object({ _id: z.string() }),
    status: 201,
    errors: ['key_taken', 'value_taken', 'contact_busy', 'import_running'],
  },
  editOffer: {
    method: 'PUT',
    path: '/contact-service/v1/offers/:id',
    summary: 'Change single fields of a contact, if they still have the values that were read',
    access: 'contact-service::offers::put',
    stores: false,
    params,
    body: ContactEdit,
    reply: z.object({ change: ContactChange.nullable().describe('Null when nothing differs.') }),
    errors: ['not_found', ...refusals],
  },
  listContactChanges: {
    method: 'GET',
    path: '/contact-service/v1/offers/:id/changes',
    summary: 'List the last 100 changes that people and programs have made to a contact, newest first',
    access: 'contact-service::offers::get',
    params,
    reply: z.array(ContactChange),
    errors: ['not_found'],
  },
  mergeOffer: {
    method: 'POST',
    path: '/contact-service/v1/offers/:id/merge',
    summary:
      'Merge another contact into this one, which gets its events and PURL; takes the rights to change this one and to delete the other',
    access: 'contact-service::offers::put',
    stores: false,
    params,
    body: ContactMerge,
    reply: z.object({
      change: ContactChange,
      movedEvents: z.number().int(),
      delete: z.string().describe('The delete of the other contact, by which the merge can be undone.'),
    }),
    errors: ['not_found', ...refusals],
  },
  undoContactChange: {
    method: 'POST',
    path: '/contact-service/v1/offers/:id/changes/:change/undo',
    summary: 'Take back a change of a contact, if its fields still have the values that it gave them',
    access: 'contact-service::offers::put',
    stores: false,
    params: z.object({ id: z.string(), change: z.string() }),
    reply: z.object({ change: ContactChange.nullable() }),
    errors: ['not_found', ...refusals],
  },
} as const satisfies Record<string, Route>
