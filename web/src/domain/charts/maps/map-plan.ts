import { type ChartOptions, worldCode, worldRegion } from '@portico/contract/dashboards/chart-options'
import { codesIn, countries } from './country-codes.ts'
import { countryOf, regionName, stateOf } from './region-names.ts'
import { usStates } from './us-states.ts'

/** Which map a chart shows. */
export type MapPlan = {
  /** Of the map: `world`, `r:150`, `c:FR`, `us-states` or `s:US-CA`. */
  name: string
  /** The code of the region of this map that a text names; null for none of them. */
  codeOf: (text: string) => string | null
  /** What the map cannot show as it was asked to. */
  note: string | null
}

const isCountry = (code: string): boolean => countries.some(({ alpha2 }) => alpha2 === code)
const isState = (code: string): boolean => usStates.some(({ postal }) => code === `US-${postal}`)

/** The map that options ask for: a region in a resolution. A region that is unknown is the world. */
export function mapPlan({ region = worldCode, resolution = 'countries' }: ChartOptions): MapPlan {
  const wantsStates = resolution !== 'countries'
  const metros = resolution === 'metros' ? 'There is no map of metropolitan areas. ' : ''
  if (region === 'US' && wantsStates) {
    return { name: 'us-states', codeOf: stateOf, note: metros ? `${metros}States are shown.` : null }
  }
  if (isState(region)) {
    const codeOf = (text: string): string | null => (stateOf(text) === region ? region : null)
    return { name: `s:${region}`, codeOf, note: metros ? `${metros}The state is shown.` : null }
  }
  if (isCountry(region)) {
    const codeOf = (text: string): string | null => (countryOf(text) === region ? region : null)
    const note = wantsStates ? `There is no map of the provinces of ${regionName(region)}. The country is shown.` : null
    return { name: `c:${region}`, codeOf, note }
  }
  const inRegion = codesIn(region)
  const note = wantsStates ? 'Provinces are shown for the United States only. Countries are shown.' : null
  if (inRegion) {
    const known = new Set(inRegion)
    return { name: `r:${region}`, codeOf: (text) => codeAmong(known, text), note }
  }
  const isWorld = region === worldCode || region === worldRegion
  return {
    name: 'world',
    codeOf: countryOf,
    note: isWorld ? note : `There is no map of ${region}. The world is shown.`,
  }
}

function codeAmong(known: ReadonlySet<string>, text: string): string | null {
  const code = countryOf(text)
  return code !== null && known.has(code) ? code : null
}
