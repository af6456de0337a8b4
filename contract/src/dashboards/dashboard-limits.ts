/** Limits of a dashboard. */
export const dashboardLimits = {
  cells: 60,
  /** Bytes of the definition, without the `chartData` of older clients. */
  bytes: 200_000,
  cellWidth: { least: 4, most: 12 },
  /** Groups that one chart draws. */
  groups: 2000,
  pivotColumns: 100,
  chosenValues: 1000,
  /** Characters of a text cell. */
  text: 2500,
} as const
