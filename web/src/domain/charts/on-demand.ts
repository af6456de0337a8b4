import { deferred } from '#ui/page/deferred.tsx'

/** Most people look at the chart, whose rows are a table on request. */
export const ChartTable = deferred(async () => (await import('./chart-table.tsx')).ChartTable)
