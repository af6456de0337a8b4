/** Contact data of one account: its fields, contacts and events. What other modules may use. */
export { type ContactField, columnsPerPart, ensureFields, foldName, listContactFields } from './fields.service.ts'
