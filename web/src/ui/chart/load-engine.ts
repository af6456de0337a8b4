import type { startChart, startImage } from './chart-engine.ts'
import type { ChartMap } from './chart-map.ts'

/** Optional parts of the engine, each with code of its own. */
export type ChartParts = 'map' | 'more' | 'usual'

export type Engine = {
  startChart: typeof startChart
  startImage: typeof startImage
  addMap: (map: ChartMap) => void
}

/** Loads the drawing code with the first chart that needs it. */
export async function loadEngine(parts: ChartParts): Promise<Engine> {
  if (parts === 'map') return import('./map-engine.ts')
  const { startChart, startImage } = await import('./chart-engine.ts')
  if (parts === 'more') (await import('./more-engine.ts')).addMore()
  return { startChart, startImage, addMap: () => undefined }
}
