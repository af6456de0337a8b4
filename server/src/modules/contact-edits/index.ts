/**
 * Changes of single contacts by people and programs: fields edited, contacts entered and merged, changes undone, and their
 * history.
 */
export { contactEditRoutes } from './contact-edits.routes.ts'
export { deleteChangesOfField, selectChangedContacts, selectLastChange } from './changes.queries.ts'
export { laterEdits } from './later-changes.queries.ts'
export { revertMerge, revertReturned } from './merge-undo.service.ts'
export { isEdited } from './edited-contacts.queries.ts'
