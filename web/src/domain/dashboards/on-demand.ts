import { deferred } from '#ui/page/deferred.tsx'
import { ChosenPlace } from './chosen-place.tsx'
import { DatesPlace } from './dates-place.tsx'

// Parts that most viewers never open. Their code is loaded on first use.

export const ChosenBar = deferred(async () => (await import('./chosen-bar.tsx')).ChosenBar, ChosenPlace)
export const CellDates = deferred(async () => (await import('./cell-dates.tsx')).CellDates, DatesPlace)
export const FileItems = deferred(async () => (await import('./file-items.tsx')).FileItems)
export const ImageItems = deferred(async () => (await import('./image-items.tsx')).ImageItems)
export const RowEvents = deferred(async () => (await import('./row-events.tsx')).RowEvents)
export const SearchItems = deferred(async () => (await import('./cell-search.tsx')).SearchItems)
export const SearchDialogs = deferred(async () => (await import('./cell-search.tsx')).SearchDialogs)
export const SeriesItems = deferred(async () => (await import('./series-items.tsx')).SeriesItems)
