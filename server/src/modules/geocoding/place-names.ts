import anyAscii from 'any-ascii'

const abbreviations: Record<string, string> = { st: 'saint', ste: 'sainte', ft: 'fort', mt: 'mount' }

/** A name without case, accents and punctuation: the part that two spellings of a place have in common. */
export function foldPlaceName(name: string): string {
  const words =
    anyAscii(name)
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  const [first = '', ...others] = words
  return [others.length > 0 ? (abbreviations[first] ?? first) : first, ...others].join(' ')
}

/** Country codes by the folded names in common use. */
let countries: Map<string, string> | undefined

// Languages in which addresses usually name their country.
const languages = ['en', 'de', 'fr', 'it', 'es', 'pt', 'nl']

const otherNames: Record<string, string> = {
  usa: 'US',
  'u s a': 'US',
  'u s': 'US',
  'united states of america': 'US',
  america: 'US',
  uk: 'GB',
  'u k': 'GB',
  'great britain': 'GB',
  britain: 'GB',
  england: 'GB',
  scotland: 'GB',
  wales: 'GB',
  'northern ireland': 'GB',
  holland: 'NL',
  'czech republic': 'CZ',
}

/** Two-letter code of a country, by this code or its name; null if there is no such country. */
export function countryCode(name: string): string | null {
  countries ??= nameCountries()
  return countries.get(foldPlaceName(name)) ?? null
}

function nameCountries(): Map<string, string> {
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  const found = new Map<string, string>()
  for (const language of languages) {
    const names = new Intl.DisplayNames([language], { type: 'region', fallback: 'none' })
    for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
      const name = names.of(code)
      // Obsolete codes share the name of another country's code; the current one wins.
      if (name === undefined || new Intl.Locale('und', { region: code }).region !== code) continue
      found.set(code.toLowerCase(), code)
      if (!found.has(foldPlaceName(name))) found.set(foldPlaceName(name), code)
    }
  }
  for (const [name, code] of Object.entries(otherNames)) found.set(name, code)
  return found
}

/** English name of a country. */
export function countryName(code: string): string {
  return new Intl.DisplayNames(['en'], { type: 'region' }).of(code) ?? code
}
