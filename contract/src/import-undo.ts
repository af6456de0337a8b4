import { z } from 'zod'
import { Import } from './imports.ts'
import type { Route } from './route.ts'
import { undoDays } from './undo-limits.ts'

/**
 * Why something that an import wrote stays. Of a contact that it created: it was edited, has events, or was changed by a later
 * import. Of a value that it changed: it was changed since (`changed`), or another contact has the earlier one by now (`taken`).
 */
export const KeptReason = z.enum(['edited', 'events', 'imported', 'changed', 'taken'])
export type KeptReason = z.output<typeof KeptReason>

/** The effect of taking back an import, expected or done. */
export const UndoFigures = z.object({
  /** Contacts that the import created, and that are deleted. */
  removedContacts: z.number(),
  /** Contacts from before that get values back. */
  returnedContacts: z.number(),
  /** Contacts that the import created, and that stay since something has happened to them. */
  keptContacts: z.number(),
  /** Values of contacts from before that stay as they are. */
  keptValues: z.number(),
  /** Names of the fields that the import made and that go. Of a forecast: as far as they are empty then, and no one uses them. */
  removedFields: z.array(z.string()),
  /** The first of what stays: a contact that the import created (`field` is null), or a value of another one. */
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
    summary: `Take back an import of contacts, within ${undoDays} days; takes the rights to delete and change contacts, too`,
    access: 'contact-service::imports::delete',
    stores: false,
    params,
    reply: Import,
    status: 202,
    errors: ['not_found', 'not_undoable', 'import_running', 'field_busy'],
  },
} as const satisfies Record<string, Route>
