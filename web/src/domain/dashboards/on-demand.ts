import { lazy } from 'react'

// Parts that most viewers never open. Their code is loaded with their first use.

export const RowEvents = lazy(async () => ({ default: (await import('./row-events.tsx')).RowEvents }))
export const SearchItems = lazy(async () => ({ default: (await import('./cell-search.tsx')).SearchItems }))
export const SearchDialogs = lazy(async () => ({ default: (await import('./cell-search.tsx')).SearchDialogs }))
export const SeriesItems = lazy(async () => ({ default: (await import('./series-items.tsx')).SeriesItems }))
