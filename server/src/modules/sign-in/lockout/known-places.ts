import type { Db } from '#platform/database.ts'
import { limitedNetwork } from '#platform/limited-network.ts'
import { selectSignInPlaces } from '../sessions/sessions.queries.ts'
import type { Pair } from './login-failures.queries.ts'

const keptMs = 30_000
const mostPlaces = 20_000

let known: { at: number; places: Promise<ReadonlySet<string>> } | null = null

/**
 * Whether the email has been used to sign in from the network before, among the latest 20,000 sessions, known with a
 * delay of at most half a minute. Regardless of the number of attempts in a flood, the database is queried once in half
 * a minute.
 */
export async function isKnownPlace(db: Db, { key, address }: Pair, now = Date.now()): Promise<boolean> {
  if (known === null || now - known.at > keptMs) {
    const places = readPlaces(db)
    known = { at: now, places }
    places.catch(() => (known = null))
  }
  return (await known.places).has(placeOf(key, address))
}

async function readPlaces(db: Db): Promise<ReadonlySet<string>> {
  const places = await selectSignInPlaces(db, mostPlaces)
  return new Set(places.map(({ key, address }) => placeOf(key, limitedNetwork(address))))
}

const placeOf = (key: string, network: string): string => JSON.stringify([key, network])
