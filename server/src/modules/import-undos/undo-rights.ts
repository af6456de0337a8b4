import { contactEditsApi } from '@portico/contract/contact-edits'
import { deletesApi } from '@portico/contract/deletes'

/**
 * Calls whose rights an undo requires in addition to its own, without conditions: it deletes contacts and changes
 * values that its request does not name, and these may have changed by the time it runs.
 */
export const rightsOfUndo = [deletesApi.deleteOffers, contactEditsApi.editOffer] as const
