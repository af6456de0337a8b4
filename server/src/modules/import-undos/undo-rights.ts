import { contactEditsApi } from '@portico/contract/contact-edits'
import { deletesApi } from '@portico/contract/deletes'

/**
 * The calls whose rights an undo takes besides its own, without conditions: it deletes contacts and changes values that no request
 * of its own names, and by the time that it runs they may be others than it was asked for.
 */
export const rightsOfUndo = [deletesApi.deleteOffers, contactEditsApi.editOffer] as const
