/**
 * Changes of single contacts by people and programs: fields edited, contacts entered, changes undone, and their
 * history.
 */
export { contactEditRoutes } from './contact-edits.routes.ts'
export { deleteChangesOfField, selectChangedContacts, selectLastChange } from './changes.queries.ts'
export { isEdited } from './edited-contacts.queries.ts'
