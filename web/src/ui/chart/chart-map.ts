import type { FeatureCollection } from 'geojson'

/** Shapes of a map. Its regions are found by the property `name`. */
export type ChartMap = { name: string; shapes: FeatureCollection }
