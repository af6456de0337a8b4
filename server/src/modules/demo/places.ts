import type { City } from './city.ts'
import { europeanCities } from './places-europe.ts'
import { americanCities } from './places-us.ts'

export type Region = 'us' | 'europe'

export const citiesOf: Readonly<Record<Region, readonly City[]>> = { us: americanCities, europe: europeanCities }
