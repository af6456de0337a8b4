/** Searches of contacts: pages, pipelines, single contacts and their fields. The API for other modules. */
export { updateFullTextIndexJob } from './search.jobs.ts'
export { maySearchBy } from './search-rights.ts'
export { searchRoutes } from './search.routes.ts'
export { type ContactReader, openContactReader } from './contact-reader.ts'
export { listFields, type NoteSearches } from './search.service.ts'
export { getFullTextIndex, updateFullTextIndex } from './full-text-index.service.ts'
export { keepWordsOfContact } from './words-of-contact.service.ts'
export { updateOutdated as outdateFullTextIndex, updateWordsMissed } from './full-text-index.queries.ts'
