import { z } from 'zod'
import { FieldFormat, fieldNameMaxLength, FieldType } from './contacts.ts'
import { ColumnReading } from './imports.ts'
import { Instant, JobStatus } from './jobs.ts'
import type { Route } from './route.ts'
import { Version, versionOfChange } from './versions.ts'
import { messages } from './messages.ts'

/** A field of contacts with everything about it that can be told without reading them. */
export const FieldEntry = z.object({
  _id: z.string(),
  version: Version,
  name: z.string(),
  type: FieldType,
  /** The format that people chose; null for the one that its values suggest. */
  chosenFormat: FieldFormat.nullable(),
  /** How numbers are shown; null for the usual way, and for other types. */
  format: FieldFormat.nullable(),
  /**
   * About the share of contacts that have a value, from 0 to 1, and about how many different ones. Null while the database knows
   * neither, and for those who see only some contacts.
   */
  filled: z.number().nullable(),
  distinct: z.number().nullable(),
  /** The import that brought it; null where none is known. */
  import: z.object({ _id: z.string(), name: z.string() }).nullable(),
  createdAt: Instant,
  /** When people last changed its name or format; null if never. */
  changedAt: Instant.nullable(),
  /** A change of the type that has not ended, or that has failed. The field has its type until the change has ended. */
  typeChange: z
    .object({
      type: FieldType,
      status: JobStatus,
      /** From 0 to 1. */
      progress: z.number(),
      /** Why it has failed, or is tried again. */
      reason: z.string().nullable(),
    })
    .nullable(),
  /** Of a deleted field, which is hidden everywhere else: when, by whom, and until when it can be restored. */
  deleted: z.object({ at: Instant, by: z.string(), until: Instant }).nullable(),
})
export type FieldEntry = z.output<typeof FieldEntry>

/** Something stored that names a field. Its name is for administrators; null for others. */
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

/** The values of a field, counted among the contacts that the caller may see, and what uses it. */
export const FieldDetails = z.object({
  contacts: z.number(),
  filled: z.number(),
  distinct: z.number(),
  /** The most frequent values, with the number of contacts that have them. */
  examples: z.array(z.object({ value: z.string(), contacts: z.number() })),
  /** Contacts whose text is kept since the type was changed, as the value alone would not give it back; null for those who see only some. */
  written: z.number().nullable(),
  uses: z.array(FieldUse),
})
export type FieldDetails = z.output<typeof FieldDetails>

/** How many contacts with a text that does not convert a preview of another type names. */
export const misfitsShown = 100

/** The outcome of another type for the texts of a field, if they were read in one way. */
export const TypeReading = z.object({
  reading: ColumnReading,
  converted: z.number(),
  misfits: z.object({
    contacts: z.number(),
    /** The first of them, with what is written there, shortened. */
    first: z.array(z.object({ contact: z.string(), text: z.string() })),
  }),
  /** Texts that become other ones. */
  examples: z.array(z.object({ before: z.string(), after: z.string() })),
})
export type TypeReading = z.output<typeof TypeReading>

/** Something stored that names a field, and why it would not work with another type; null where it would. */
export const RetypedUse = FieldUse.extend({ problem: z.string().nullable() })
export type RetypedUse = z.output<typeof RetypedUse>

export const TypePreview = z.object({
  /** Contacts that have a value, or a text that was kept. */
  filled: z.number(),
  /** Two of them where texts can be read in two ways; the one that is suggested first. */
  readings: z.array(TypeReading),
  /** Both read all texts that either reads, and give different values. */
  isAmbiguous: z.boolean(),
  uses: z.array(RetypedUse),
  /** The reason for which the change would be refused; null without one. */
  obstacle: z.string().nullable(),
})
export type TypePreview = z.output<typeof TypePreview>

export const ChangedType = z.strictObject({
  /** The type, and how texts are read. */
  reading: ColumnReading,
  /** How many things will no longer work until they are changed, as the person was shown: those with a problem in the preview. */
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
  /** Of a number field; null for the one that its values suggest. */
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
