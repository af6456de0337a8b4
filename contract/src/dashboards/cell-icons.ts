/** Icons a cell can have. */
export const cellIcons = [
  'chart-area',
  'chart-bar',
  'chart-column',
  'chart-combo',
  'chart-donut',
  'chart-geo',
  'chart-line',
  'chart-pie',
  'table',
  'table-paged',
  'table-calculated',
  'table-pivot',
  'kpi',
  'dropdown',
  'date-picker',
  'text',
] as const
