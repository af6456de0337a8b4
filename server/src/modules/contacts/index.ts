/** Contact data of one account: its fields, contacts and events. The API for other modules. */
export { type ContactField, columnsPerPart, ensureFields, listContactFields, shownFormat } from './fields.service.ts'
export { recognizeCodes } from './field-codes.service.ts'
export {
  type CatalogueRow,
  type ColumnStatistics,
  dropField,
  hasValues,
  lockDeletedFields,
  lockField,
  markDeleted,
  markRestored,
  selectCatalogue,
  selectColumnStatistics,
  updateField,
} from './catalogue.queries.ts'
export { contactsTable, eventsTable } from './contact-tables.ts'
export { addEventFields, addingEventFields } from './event-fields.service.ts'
export { insertEventFields, selectKnownEventFields, upsertOfferedEventFields } from './event-fields.queries.ts'
export { buildEventIndexes, dropEventIndexes, hasEvents } from './event-indexes.queries.ts'
export type { NewEvent } from './events.queries.ts'
export { eventRoutes } from './events.routes.ts'
export { listEvents, mostEvents, recordContactEvents, recordEvents } from './events.service.ts'
export { columnType, hasFinerColumn, selectPartTables, startOfDay, valueText } from './fields.queries.ts'
export { purlParts } from './purl-parts.ts'
export { lookupCondition, lookupKey, lookupParameters } from './lookup-key.ts'
export { trimmedText } from './trimmed-text.ts'
export { lookupIndexName } from './lookup-index-name.ts'
export {
  analyzeContacts,
  buildContactIndexes,
  countWithoutDedupKey,
  dropContactIndexes,
  hasContacts,
  hasMoreContacts,
  selectKnownContacts,
  selectSomePurl,
} from './contacts.queries.ts'
export {
  contactRow,
  type ContactValue,
  enteredImport,
  insertContact,
  lockContact,
  selectContactValues,
  selectMoment,
  selectWidened,
  updateContactValues,
} from './contact-row.queries.ts'
export { hasEnteredKeys, selectKeyHolder, updatePurl, upsertKeys } from './contact-keys.queries.ts'
export { readableFields } from './readable-fields.ts'
export { withSnapshot } from './snapshot.ts'
