import type { FeatureCollection } from 'geojson'

/** Shapes of a map. The property `name` identifies its regions. */
export type ChartMap = { name: string; shapes: FeatureCollection }
