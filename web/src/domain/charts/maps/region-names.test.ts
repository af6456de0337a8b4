import { describe, expect, test } from 'vitest'
import { codesIn, countries } from './country-codes.ts'
import { mapPlan } from './map-plan.ts'
import { countryOf, regionName, stateOf } from './region-names.ts'

test.each([
  ['US', 'US'],
  ['us', 'US'],
  ['usa', 'US'],
  ['United States', 'US'],
  ['united states of america', 'US'],
  ['DEU', 'DE'],
  ['germany', 'DE'],
  [' Germany ', 'DE'],
  ['UK', 'GB'],
  ['United Kingdom', 'GB'],
  ['Türkiye', 'TR'],
  ['Turkey', 'TR'],
  ["Côte d'Ivoire", 'CI'],
  ['Cote d’Ivoire', 'CI'],
  ['Czech Republic', 'CZ'],
  ['South Korea', 'KR'],
  ['Bosnia and Herzegovina', 'BA'],
  ['Bosnia & Herzegovina', 'BA'],
  ['Saint Lucia', 'LC'],
  ['St. Lucia', 'LC'],
  ['Myanmar', 'MM'],
  ['Kosovo', 'XK'],
  ['Atlantis', null],
  ['', null],
  ['constructor', null],
])('the country %j is %s', (text, code) => {
  expect(countryOf(text)).toBe(code)
})

test.each([
  ['CA', 'US-CA'],
  ['us-ca', 'US-CA'],
  ['California', 'US-CA'],
  ['new york', 'US-NY'],
  ['Washington, D.C.', 'US-DC'],
  ['Puerto Rico', null],
  ['Bavaria', null],
])('the state %j is %s', (text, code) => {
  expect(stateOf(text)).toBe(code)
})

test('each country is in one sub-region, and has a name', () => {
  const all = countries.map(({ alpha2 }) => alpha2)
  expect(new Set(all).size).toBe(249)
  expect(all).toHaveLength(249)
  expect(new Set(countries.map(({ alpha3 }) => alpha3)).size).toBe(249)
  expect(all.filter((code) => regionName(code) === code)).toEqual([])
  const continents = ['002', '019', '142', '150', '009'].flatMap((code) => codesIn(code) ?? [])
  expect(continents.toSorted()).toEqual(all.toSorted())
})

describe('the map chosen by the options', () => {
  test.each([
    [{}, 'world', null],
    [{ region: 'World (default)' }, 'world', null],
    [{ region: '150' }, 'r:150', null],
    [{ region: '155' }, 'r:155', null],
    [{ region: 'FR' }, 'c:FR', null],
    [{ region: 'US' }, 'c:US', null],
    [{ region: 'US', resolution: 'provinces' }, 'us-states', null],
    [{ region: 'US', resolution: 'metros' }, 'us-states', 'There is no map of metropolitan areas. States are shown.'],
    [{ region: 'US-CA' }, 's:US-CA', null],
    [
      { region: 'DE', resolution: 'provinces' },
      'c:DE',
      'There is no map of the provinces of Germany. The country is shown.',
    ],
    [
      { resolution: 'metros' },
      'world',
      'There is no map of metropolitan areas. Provinces are shown for the United States only. Countries are shown.',
    ],
    [{ resolution: 'provinces' }, 'world', 'Provinces are shown for the United States only. Countries are shown.'],
    [{ region: '999' }, 'world', 'There is no map of 999. The world is shown.'],
  ] as const)('%j', (options, name, note) => {
    expect(mapPlan(options)).toMatchObject({ name, note })
  })

  test('regions outside the map are recognized but not shown', () => {
    const { codeOf, isShown } = mapPlan({ region: '155' })
    expect(['France', 'Japan', 'Atlantis'].map(codeOf)).toEqual(['FR', 'JP', null])
    expect(['FR', 'JP'].map(isShown)).toEqual([true, false])
    expect(mapPlan({ region: 'US-CA' }).isShown('US-TX')).toBe(false)
  })
})
