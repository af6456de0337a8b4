/** Groups of contacts as charts, and values of fields as texts. */
export { abbreviate } from './abbreviate.ts'
export { ChartTable } from './chart-table.tsx'
export { formatValue, zoneNote } from './field-value.ts'
export { GroupChart } from './group-chart.tsx'
export { datePartsOf, type Grouping, groupingOf, keyText, type Row } from './group.ts'
export { rowsCsv } from './rows-csv.ts'
export { seriesNamesOf } from './series-names.ts'
export { groupChart, hasChart, leftOutNote } from './search-chart.ts'
