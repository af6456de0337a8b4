import { z } from 'zod'
import { FieldFormat, fieldNameMaxLength, FieldType } from './contacts.ts'
import { ColumnReading } from './imports.ts'
import { Instant, JobStatus } from './jobs.ts'
import type { Route } from './route.ts'
import { Version, versionOfChange } from './versions.ts'
import { messages } from './messages.ts'

/** A field of contacts with everything that is known about it without reading contacts. */
export const FieldEntry = z.object({
  _id: z.string(),
  version: Version,
  name: z.string(),
  type: FieldType,
  /** The format chosen by users; null for the one that its values suggest. */
  chosenFormat: FieldFormat.nullable(),
  /** How numbers are shown; null for the default, and for other types. */
  format: FieldFormat.nullable(),
  /**
   * The estimated share of contacts that have a value, from 0 to 1, and number of different values. Null while the
   * database does not know, and for callers who see only some contacts.
   */
  filled: z.number().nullable(),
  distinct: z.number().nullable(),
  /** The import that created it; null if unknown. */
  import: z.object({ _id: z.string(), name: z.string() }).nullable(),
  createdAt: Instant,
  /** When a user last changed its name or format; null if never. */
  changedAt: Instant.nullable(),
  /**
   * A change of the type that has not ended, or that has failed. The field keeps its type until the change has ended.
   */
  typeChange: z
    .object({
      type: FieldType,
      status: JobStatus,
      /** From 0 to 1. */
      progress: z.number(),
      /** Why it has failed, or is being retried. */
      reason: z.string().nullable(),
    })
    .nullable(),
  /**
   * For a deleted field, which is hidden elsewhere: when and by whom it was deleted, and until when it can be restored.
   */
  deleted: z.object({ at: Instant, by: z.string(), until: Instant }).nullable(),
})
export type FieldEntry = z.output<typeof FieldEntry>

/** A stored item that names a field. Its name is for administrators; null for others. */
export const FieldUse = z.object({
  kind: z.enum([
    'filter',
    'dashboard',
    'cron',
    'remote access',
    'index',
    'import',
    'import defaults',
    'row rule',
    'policy',
  ]),
  name: z.string().nullable(),
})
export type FieldUse = z.output<typeof FieldUse>

/** The values of a field, counted among the contacts that the caller may see, and the items that use it. */
export const FieldDetails = z.object({
  contacts: z.number(),
  filled: z.number(),
  distinct: z.number(),
  /** The most frequent values, with the number of contacts that have them. */
  examples: z.array(z.object({ value: z.string(), contacts: z.number() })),
  /**
   * Contacts with a written text that is kept since the type was changed, as the value alone would not restore it; null
   * for callers who see only some contacts.
   */
  written: z.number().nullable(),
  uses: z.array(FieldUse),
})
export type FieldDetails = z.output<typeof FieldDetails>

/** Maximum number of contacts listed by a preview of another type because their text does not convert. */
export const misfitsShown = 100

/** The result of converting the texts of a field to another type, in one way of reading them. */
export const TypeReading = z.object({
  reading: ColumnReading,
  converted: z.number(),
  misfits: z.object({
    contacts: z.number(),
    /** The first of them, with their text, shortened. */
    first: z.array(z.object({ contact: z.string(), text: z.string() })),
  }),
  /** Texts that would change. */
  examples: z.array(z.object({ before: z.string(), after: z.string() })),
})
export type TypeReading = z.output<typeof TypeReading>

/** A stored item that names a field, and why it would not work with another type; null if it would. */
export const RetypedUse = FieldUse.extend({ problem: z.string().nullable() })
export type RetypedUse = z.output<typeof RetypedUse>

export const TypePreview = z.object({
  /** Contacts that have a value, or a written text that was kept. */
  filled: z.number(),
  /** Two if texts can be read in two ways; the suggested one comes first. */
  readings: z.array(TypeReading),
  /** Both read all texts that either of them reads, but give different values. */
  isAmbiguous: z.boolean(),
  uses: z.array(RetypedUse),
  /** Why the change would be refused; null if it would not. */
  obstacle: z.string().nullable(),
})
export type TypePreview = z.output<typeof TypePreview>

export const ChangedType = z.strictObject({
  /** The type, and how texts are read. */
  reading: ColumnReading,
  /**
   * How many items the person was shown that stop working until they are changed: those with a problem in the preview.
   */
  broken: z.number().int().min(0).default(0),
})
export type ChangedType = z.input<typeof ChangedType>

export const ChangedField = z.strictObject({
  ...versionOfChange,
  name: z
    .string()
    .trim()
    .min(1, messages.required)
    .max(fieldNameMaxLength, `Name should have at most ${fieldNameMaxLength} characters`)
    .optional(),
  /** For a number field; null for the format that its values suggest. */
  format: FieldFormat.nullable().optional(),
})
export type ChangedField = z.input<typeof ChangedField>

const path = '/contact-service/v1/fields'
const params = z.object({ id: z.string() })

export const fieldsApi = {
  listFieldDetails: {
    method: 'GET',
    path: `${path}/details`,
    summary: 'List the fields of contacts that the caller may read, with estimates of their values',
    access: 'contact-service::fields::get',
    reply: z.array(FieldEntry),
  },
  getFieldDetails: {
    method: 'GET',
    path: `${path}/:id/details`,
    summary: 'Count the values of a field, and list what uses it',
    access: 'contact-service::fields::get',
    params,
    reply: FieldDetails,
    errors: ['not_found', 'timed_out'],
  },
  updateField: {
    method: 'PUT',
    path: `${path}/:id`,
    summary: 'Rename a field, everywhere it is used, or choose the format of its numbers',
    access: 'contact-service::fields::put',
    stores: false,
    params,
    body: ChangedField,
    reply: FieldEntry,
    errors: ['not_found', 'name_taken', 'in_use', 'field_busy', 'newer_version'],
  },
  previewFieldType: {
    method: 'GET',
    path: `${path}/:id/type`,
    summary: 'Count what another type would make of the values of a field, and list what uses it',
    access: 'contact-service::fields::put',
    params,
    query: z.strictObject({ type: FieldType }),
    reply: TypePreview,
    errors: ['not_found', 'timed_out', 'too_many_requests'],
  },
  changeFieldType: {
    method: 'PUT',
    path: `${path}/:id/type`,
    summary:
      'Change the type of a field: its values are converted in the background, and what does not convert is kept',
    access: 'contact-service::fields::put',
    stores: false,
    params,
    body: ChangedType,
    reply: FieldEntry,
    errors: ['not_found', 'in_use', 'field_busy'],
  },
  deleteField: {
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Delete a field: it is hidden at once, and its values are removed after 30 days',
    access: 'contact-service::fields::delete',
    stores: false,
    params,
    query: z.strictObject({
      uses: z.coerce
        .number()
        .int()
        .min(0)
        .default(0)
        .describe('How many filters, dashboards and crons will say that the field is missing: all that name it.'),
    }),
    reply: FieldEntry,
    errors: ['not_found', 'in_use', 'field_busy'],
  },
  restoreField: {
    method: 'POST',
    path: `${path}/:id/restore`,
    summary: 'Restore a deleted field with its values',
    access: 'contact-service::fields::delete',
    stores: false,
    params,
    reply: FieldEntry,
    errors: ['not_found', 'name_taken', 'limit_reached'],
  },
} as const satisfies Record<string, Route>
