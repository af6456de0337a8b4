import type { ChartOptions } from '@portico/contract/dashboards/chart-options'
import { worldCode, worldRegion } from '@portico/contract/dashboards/chart-defaults'
import { codesIn, countries } from './country-codes.ts'
import { countryOf, regionName, stateOf } from './region-names.ts'
import { usStates } from './us-states.ts'

/** Which map a chart shows. */
export type MapPlan = {
  /** Of the map: `world`, `r:150`, `c:FR`, `us-states` or `s:US-CA`. */
  name: string
  /** The code of the region that a text names, on this map or beside it; null for what is none. */
  codeOf: (text: string) => string | null
  isShown: (code: string) => boolean
  /** Says how the map differs from the one that was asked for; null for the same. */
  note: string | null
}

const isCountry = (code: string): boolean => countries.some(({ alpha2 }) => alpha2 === code)
const isState = (code: string): boolean => usStates.some(({ postal }) => code === `US-${postal}`)

const isEqual =
  (code: string) =>
  (other: string): boolean =>
    other === code

/** The map that options ask for: a region in a resolution. A region that is unknown is the world. */
export function mapPlan({ region = worldCode, resolution = 'countries' }: ChartOptions): MapPlan {
  const wantsStates = resolution !== 'countries'
  const metros = resolution === 'metros' ? 'There is no map of metropolitan areas. ' : ''
  if (region === 'US' && wantsStates) {
    return { name: 'us-states', codeOf: stateOf, isShown: isState, note: metros ? `${metros}States are shown.` : null }
  }
  if (isState(region)) {
    const note = metros ? `${metros}The state is shown.` : null
    return { name: `s:${region}`, codeOf: stateOf, isShown: isEqual(region), note }
  }
  if (isCountry(region)) {
    const note = wantsStates ? `There is no map of the provinces of ${regionName(region)}. The country is shown.` : null
    return { name: `c:${region}`, codeOf: countryOf, isShown: isEqual(region), note }
  }
  const inRegion = codesIn(region)
  const note = wantsStates ? `${metros}Provinces are shown for the United States only. Countries are shown.` : null
  if (inRegion) {
    const known = new Set(inRegion)
    return { name: `r:${region}`, codeOf: countryOf, isShown: (code) => known.has(code), note }
  }
  const isWorld = region === worldCode || region === worldRegion
  const otherNote = isWorld ? note : `There is no map of ${region}. The world is shown.`
  return { name: 'world', codeOf: countryOf, isShown: () => true, note: otherNote }
}
