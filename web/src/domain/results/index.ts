/** Results of a search on any screen: their events, and saving, exporting or opening the search. */
export { type Event, eventDetails } from './events.ts'
export { EventsDialog } from './events-dialog.tsx'
export { countRows, fetchRows, type RowsWanted, withEventRows } from './fetch-rows.ts'
export { FoundEventsDialog } from './found-events-dialog.tsx'
export { ExportResultsDialog, SaveSearchDialog } from './on-demand.ts'
export { searchPath } from './search-path.ts'
export { WithZone } from './with-zone.tsx'
export { QueryInWords } from './query-in-words.tsx'
