import { z } from 'zod'
import { Import } from './imports.ts'
import type { Route } from './route.ts'
import { undoDays } from './undo-limits.ts'

/**
 * Why something that an import wrote stays. For a contact that it created: it was edited, has events, or was changed by
 * a later import. For a value that it changed: a later import changed it (`imported`), someone else did (`changed`), or
 * another contact now has the earlier one (`taken`).
 */
export const KeptReason = z.enum(['edited', 'events', 'imported', 'changed', 'taken'])
export type KeptReason = z.output<typeof KeptReason>

/** The effect of undoing an import, expected or actual. */
export const UndoFigures = z.object({
  /** Contacts that the import created, and that are deleted. */
  removedContacts: z.number(),
  /** Contacts of imports undone before, which were kept only because of this one, and that are deleted. */
  removedOthers: z.number().default(0),
  /** Contacts from before the import that get values back. */
  returnedContacts: z.number(),
  /** Contacts that the import created, and that stay because they have changed since. */
  keptContacts: z.number(),
  /** Values of contacts from before the import that stay as they are. */
  keptValues: z.number(),
  /** Events that the import recorded, and that are deleted. An import records either events or contacts. */
  removedEvents: z.number().default(0),
  /** Names of the fields that the import created and that are removed. A forecast lists those empty and unused now. */
  removedFields: z.array(z.string()),
  /** The first things that stay: a contact that the import created (`field` is null), or a value of another contact. */
  kept: z.array(z.object({ contact: z.string(), field: z.string().nullable(), reason: KeptReason })),
})
export type UndoFigures = z.output<typeof UndoFigures>

const path = '/contact-service/v1/imports/:id/undo'
const params = z.object({ id: z.string() })

export const importUndoApi = {
  getImportUndo: {
    method: 'GET',
    path,
    summary: 'Tell what taking back an import would remove, return and keep; or has, once it was taken back',
    access: 'contact-service::imports::get',
    params,
    reply: UndoFigures,
    errors: ['not_found', 'not_undoable', 'timed_out'],
  },
  undoImport: {
    method: 'POST',
    path,
    summary: `Take back an import, within ${undoDays} days; takes the rights to delete and change contacts, too`,
    access: 'contact-service::imports::delete',
    stores: false,
    params,
    reply: Import,
    status: 202,
    errors: ['not_found', 'not_undoable', 'import_running', 'field_busy'],
  },
} as const satisfies Record<string, Route>
