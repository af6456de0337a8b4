import type { ChartOptions } from './chart-options.ts'

export const worldRegion = 'World (default)'
/** How the world is stored. */
export const worldCode = 'world'

/** Options of a new chart (specification 4 §9). */
export const defaultChartOptions = { height: 250, legend: { position: 'top' } } as const satisfies ChartOptions
/** The hole of a new donut (specification 4 §9). A donut is stored as a pie with a hole. */
export const donutHole = 0.3
