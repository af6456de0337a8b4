/** Reading contacts: filtered, sorted and paged, one by one, and the fields they have. What other modules may use. */
export { updateFullTextIndexJob } from './search.jobs.ts'
export { searchRoutes } from './search.routes.ts'
export { listFields, listOffers } from './search.service.ts'
export { getFullTextIndex, updateFullTextIndex } from './full-text-index.service.ts'
