import { normalizeText } from '@portico/domain/unicode'
import { countries } from './country-codes.ts'
import { usStates } from './us-states.ts'

/** Other names in use than those that the browser gives. */
const otherNames: Record<string, string> = {
  'united states of america': 'US',
  'the united states': 'US',
  'u.s.': 'US',
  'u.s.a.': 'US',
  america: 'US',
  uk: 'GB',
  'u.k.': 'GB',
  'great britain': 'GB',
  britain: 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'northern ireland': 'GB',
  'united kingdom of great britain and northern ireland': 'GB',
  'czech republic': 'CZ',
  czechia: 'CZ',
  'russian federation': 'RU',
  'korea, republic of': 'KR',
  'republic of korea': 'KR',
  korea: 'KR',
  "korea, democratic people's republic of": 'KP',
  'iran, islamic republic of': 'IR',
  'syrian arab republic': 'SY',
  'viet nam': 'VN',
  'lao pdr': 'LA',
  "lao people's democratic republic": 'LA',
  'brunei darussalam': 'BN',
  'tanzania, united republic of': 'TZ',
  'moldova, republic of': 'MD',
  'bolivia, plurinational state of': 'BO',
  'venezuela, bolivarian republic of': 'VE',
  'ivory coast': 'CI',
  'cote d ivoire': 'CI',
  "cote d'ivoire": 'CI',
  'cape verde': 'CV',
  'cabo verde': 'CV',
  burma: 'MM',
  swaziland: 'SZ',
  macedonia: 'MK',
  turkey: 'TR',
  turkiye: 'TR',
  holland: 'NL',
  'the netherlands': 'NL',
  'hong kong': 'HK',
  macau: 'MO',
  macao: 'MO',
  'east timor': 'TL',
  'democratic republic of the congo': 'CD',
  'congo, democratic republic of the': 'CD',
  'republic of the congo': 'CG',
  congo: 'CG',
  'palestine, state of': 'PS',
  palestine: 'PS',
  'vatican city': 'VA',
  'holy see': 'VA',
  micronesia: 'FM',
  'the gambia': 'GM',
  'the bahamas': 'BS',
  uae: 'AE',
  'taiwan, province of china': 'TW',
  xkk: 'XK',
}

/** Texts alike but for case, accents, spaces and the joining word. */
const plain = (text: string): string =>
  normalizeText(text, 'NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll('’', "'")
    .replaceAll('&', 'and')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\bst\. /gi, 'saint ')
    .trim()
    .toLowerCase()

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' })

/** The English name of a region of a map: a country, or a state of the USA. */
export function regionName(code: string): string {
  if (code.startsWith('US-')) return usStates.find(({ postal }) => code === `US-${postal}`)?.name ?? code
  return code === 'XK' ? 'Kosovo' : (names.of(code) ?? code)
}

let countryCodes: Map<string, string> | undefined

function codesOfCountries(): Map<string, string> {
  countryCodes ??= new Map([
    ...Object.entries(otherNames),
    ...countries.flatMap(({ alpha2, alpha3 }): [string, string][] => {
      const name = plain(regionName(alpha2))
      // Some names have an addition, as "Myanmar (Burma)".
      const short = name.replace(/ \([^()]*\)$/, '')
      return [
        [short, alpha2],
        [name, alpha2],
        [alpha3.toLowerCase(), alpha2],
        [alpha2.toLowerCase(), alpha2],
      ]
    }),
  ])
  return countryCodes
}

const stateCodes = new Map(
  usStates.flatMap(({ postal, name }): [string, string][] => [
    [name.toLowerCase(), `US-${postal}`],
    [postal.toLowerCase(), `US-${postal}`],
    [`us-${postal.toLowerCase()}`, `US-${postal}`],
  ]),
)
for (const other of ['washington dc', 'washington d.c.', 'washington, d.c.', 'washington, dc', 'd.c.']) {
  stateCodes.set(other, 'US-DC')
}

/** The alpha-2 code of a country named by a code or in English, in any case; null for what is none. */
export const countryOf = (text: string): string | null => codesOfCountries().get(plain(text)) ?? null

/** The code of a state of the USA, as `US-CA`, named by its code or in English; null for what is none. */
export const stateOf = (text: string): string | null => stateCodes.get(plain(text)) ?? null
