import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import type { FieldFormat } from '@portico/domain/field-format'
import type { GroupKey, Grouping } from '@portico/domain/pipeline/grouping'
import type { Row } from '@portico/domain/pipeline/pipeline'
import type { GroupValue } from '@portico/contract/dashboards/interaction'
import type { EChartsCoreOption } from 'echarts/core'
import type { ChartLooks } from '#ui/chart/chart-looks.ts'

/** Values of the keys of groups, in the order of the grouping. */
export type Keys = GroupValue[][]

export type ChartSeries = {
  name: string
  /** The column of the rows; absent where there are no groups. */
  value?: string
  /** By category. */
  data: (number | null)[]
  /** By category: the groups that the value stands for; none where there is no group. */
  keys: Keys[]
  /** The groups that a click on the legend narrows to; null where the series is one of several values. */
  legendKeys: Keys | null
  /** Of the field that the values are computed of. */
  format?: FieldFormat | undefined
  /** Whether its values may be added up. */
  canSum?: boolean
}

/** `categoryValues` are those of the first key. */
export type ChartData = {
  categoryKey: GroupKey | null
  categoryValues: GroupValue[]
  categories: string[]
  categoryKeys: Keys[]
  series: ChartSeries[]
}

/** Kinds that are drawn along two axes. */
export type AxisKind = 'Area' | 'Bar' | 'Column' | 'Combo' | 'Line'
type ChartKind = AxisKind | 'Geo' | 'Pie'

/** Rows of a grouping, and how they are to be drawn. */
export type ChartInput = {
  kind: ChartKind
  /** As Google Charts names them. */
  options: ChartOptions
  grouping: Grouping
  rows: readonly Row[]
  /** Groups that are marked; all others are dimmed. None marks nothing. */
  chosen?: Keys
  /** Names of series that are not drawn. */
  hidden?: readonly string[]
  /** Patterns and dashes besides colours. */
  hasPatterns?: boolean
  /** Changes the groups before they are drawn. */
  shape?: (data: ChartData) => ChartData
}

/** A drawn value, and the groups that it stands for. `text` is how it is read out. */
export type DrawnValue = { series: number; index: number; text: string; keys: Keys; isMarked: boolean }

/** An entry of the legend. `keys`: the groups that a click narrows to; null where it does nothing. */
type LegendEntry = { name: string; keys: Keys | null }

export type Size = { width: number; height: number }

/** A chart to draw, and what its parts stand for. */
export type Drawing = {
  options: (looks: ChartLooks, size: Size) => EChartsCoreOption
  values: DrawnValue[]
  legend: LegendEntry[]
  /** The groups of each category; empty where there are no axes. */
  categories: { name: string; keys: Keys }[]
  /** Along which axis the categories are; null where there are none. */
  categoryAxis: 'x' | 'y' | null
  /** Lines and areas have little to click on, so that a click beside them means their category. */
  isLine: boolean
  /** Candles, and lines and areas at values, need code of their own. */
  needsMore: boolean
  /** The options depend on the size of the place. */
  followsSize: boolean
  notes: string[]
}
