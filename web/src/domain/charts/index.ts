/** Groups of contacts as charts, and values of fields as texts. */
export { formatValue, zoneNote } from './field-value.ts'
export { groupChart, hasChart, leftOutNote } from './group-chart.ts'
export { computedPartsOf, contactsOfGroup, type Grouping, groupingOf, keyText, type Row } from './group.ts'
export { GroupChart } from './group-chart-view.tsx'
