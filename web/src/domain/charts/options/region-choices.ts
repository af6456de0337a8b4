import type { RegionKind } from '@portico/contract/dashboards/chart-options'
import { codesIn, countries } from '../maps/country-codes.ts'
import { regionName } from '../maps/region-names.ts'
import { usStates } from '../maps/us-states.ts'

type RegionChoice = { code: string; name: string }

/** Continents and their parts in the order of the UN's list (M49), each continent before its parts. */
const continents =
  '002 015 011 017 014 018 150 154 155 151 039 019 021 029 013 005 142 143 030 034 035 145 009 053 054 057 061'

const byName = (one: RegionChoice, other: RegionChoice): number => one.name.localeCompare(other.name, 'en')
const named = (code: string): RegionChoice => ({ code, name: regionName(code) })

/** Regions of which there are maps, with their English names. There is one world. */
export function regionChoices(kind: Exclude<RegionKind, 'world'>): RegionChoice[] {
  if (kind === 'continent')
    return continents
      .split(' ')
      .filter((code) => codesIn(code) !== null)
      .map(named)
  if (kind === 'country') return countries.map(({ alpha2 }) => named(alpha2)).toSorted(byName)
  return usStates.map(({ postal }) => named(`US-${postal}`)).toSorted(byName)
}
