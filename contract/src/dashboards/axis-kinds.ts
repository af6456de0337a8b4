import { type CellKind, isChartKind } from './cell-kinds.ts'

/** Returns whether a kind of chart has an axis of groups and one of values. */
export const hasAxes = (kind: CellKind): boolean => isChartKind(kind) && kind !== 'Geo' && kind !== 'Pie'
