/** Contact data of one account: its fields, contacts and events. The API for other modules. */
export {
  type ContactField,
  columnsPerPart,
  ensureFields,
  listContactFields,
  nextColumn,
  shownFormat,
  toContactField,
} from './fields.service.ts'
export { recognizeCodes } from './field-codes.service.ts'
export {
  type CatalogueRow,
  type ColumnStatistics,
  dropColumn,
  dropField,
  hasValues,
  lockDeletedFields,
  lockField,
  markDeleted,
  markRestored,
  selectCatalogue,
  selectColumnStatistics,
  updateField,
  updateFieldColumn,
} from './catalogue.queries.ts'
export { contactsTable, eventsTable } from './contact-tables.ts'
export { addEventFields, addingEventFields, keepEventFields } from './event-fields.service.ts'
export { inTurn, lockContacts } from './contact-turns.ts'
export { insertEventFields, selectKnownEventFields, upsertOfferedEventFields } from './event-fields.queries.ts'
export { buildEventIndexes, dropEventIndexes, hasEvents } from './event-indexes.queries.ts'
export { eventRoutes } from './events.routes.ts'
export { moveEvents, type NewEvent } from './events.queries.ts'
export { listEvents, mostEvents, recordContactEvents, recordEvents } from './events.service.ts'
export { columnType, hasFinerColumn, selectPartTables, startOfDay, valueText } from './fields.queries.ts'
export { purlParts } from './purl-parts.ts'
export { lookupCondition, lookupKey, lookupParameters } from './lookup-key.ts'
export { trimmedText } from './trimmed-text.ts'
export { lookupIndexName } from './lookup-index-name.ts'
export {
  analyzeContacts,
  buildContactIndexes,
  countContactsAfter,
  countWithoutDedupKey,
  dropContactIndexes,
  hasContacts,
  hasMoreContacts,
  selectKnownContacts,
  selectSomePurl,
} from './contacts.queries.ts'
export {
  contactRows,
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
export {
  insertDedupKeys,
  isFreeKey,
  keylessRows,
  selectContactsAfter,
  selectContactsUpTo,
  selectHolders,
  selectKeyless,
} from './dedup-keys.queries.ts'
export {
  deleteMergedKeys,
  type MergedHashes,
  selectMergedHashes,
  followMergedKeys,
  insertMergedKeys,
  purlHolders,
  selectMergeHolder,
} from './merged-keys.queries.ts'
export { retiredNumbers, type RetiredNumbers, retirePurls } from './retired-purls.queries.ts'
export { fieldsReadOf, fieldsReadOfAll, readableFields, rowsOfFields } from './readable-fields.ts'
export {
  addFilledColumn,
  countAllContacts,
  deletePartsOfDeleted,
  type FilledColumn,
  fillColumn,
  hasUnendedRetype,
  insertRetype,
  holdColumns,
  lockColumns,
  lockLeftColumns,
  lockRetype,
  normalizeTexts,
  retypeJobs,
  type RetypeRow,
  selectLastRetypes,
  selectRetype,
  rejectRetype,
  updateRetype,
} from './retypes.queries.ts'
export {
  type ContactText,
  countWrittenTexts,
  deleteTextsOfDeleted,
  deleteWrittenTexts,
  forgetUnreadTexts,
  insertWrittenTexts,
  mostTextBytes,
  selectContactTexts,
} from './written-texts.queries.ts'
export { withSnapshot } from './snapshot.ts'
