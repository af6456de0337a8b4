/** Dashboards as several screens show them: cells, their answers, and what a viewer has chosen. */
export { CellContent } from './cells/cell-content.tsx'
export { CellHead } from './cell-head.tsx'
export { CellMenu } from './cell-menu.tsx'
export { ChosenBar } from './chosen-bar.tsx'
export { type CellSource, useDashboard, useDashboards } from './dashboard-queries.ts'
export { type Choosing, useInteraction } from './interaction-address.ts'
export { interactionOfCell } from './interaction-changes.ts'
