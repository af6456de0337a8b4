import { type Ask, offersPath, openAsk } from './ask.ts'
import { loadContacts, startImport, waitFor, waitUntil } from './import-bench.ts'
import { type LockTimes, watchLocks } from './lock-watch.ts'
import type { Client, Portal } from './portal.ts'
import type { Measurement } from './report.ts'
import { quantile, timed } from './timing.ts'

const service = '/contact-service/v1'
const breathMs = 20
const quietMs = 5000
/** Maximum time for which a lock may be held, or waited for. */
const mostLockedMs = 1000

type Field = { _id: string; name: string; type: string; typeChange: { status: string; reason: string | null } | null }
type Contact = { _id: string; Notes?: string }

/**
 * Changes the types of fields of an account with the contacts of the file while people search and edit them, another
 * account imports, and an import of the account itself waits for the change. Measures how long locks are held and
 * waited for.
 */
export async function benchRetype(portal: Portal, file: string): Promise<Measurement[]> {
  await portal.enterNewAccount()
  await loadContacts(portal, file)
  const importer = await portal.anotherClient()
  const ask = openAsk(portal)
  const quiet = await useUntil(portal, ask, new Promise((resolve) => setTimeout(resolve, quietMs)))
  const watch = await watchLocks(portal.databaseUrl, portal.account)
  const imported = startImport(importer, file).then((path) => waitFor(importer, path))
  // Awaited below, unless something else fails first.
  imported.catch(() => {})
  const changes: { name: string; ms: number }[] = []
  const changing = (async () => {
    // A few texts are kept, then all of them, and then they are restored.
    for (const [name, type] of [
      ['Score', 'string'],
      ['Customer No', 'number'],
      ['Customer No', 'string'],
    ] as const) {
      changes.push({ name: `${name} to ${type}`, ms: await timed(() => retype(portal, name, type)) })
    }
  })()
  changing.catch(() => {})
  const busy = await useUntil(portal, ask, changing)
  const locks = await watch.stop()
  await imported
  ask.close()
  return describe(changes, { quiet, busy }, locks)
}

/** `refused`: edits that gave way. */
type Times = { searches: number[]; edits: number[]; refused: number }

function describe(
  changes: readonly { name: string; ms: number }[],
  { quiet, busy }: { quiet: Times; busy: Times },
  { waitedMs, heldMs, held }: LockTimes,
): Measurement[] {
  console.log(`Meanwhile: ${busy.edits.length} edits, of which ${busy.refused} gave way.`)
  const limit = { reference: { name: 'limit', milliseconds: mostLockedMs }, target: { ratio: 1 } }
  const least = (times: readonly number[]) => ({ name: 'quiet', milliseconds: quantile(times, 0.95) })
  return [
    ...changes.map(({ name, ms }): Measurement => ({ work: `retype: ${name}`, milliseconds: ms })),
    { work: `retype: a lock held (${held})`, milliseconds: heldMs, ...limit },
    { work: 'retype: a lock waited for', milliseconds: waitedMs, ...limit },
    {
      work: 'retype: searches meanwhile, 95 %',
      milliseconds: quantile(busy.searches, 0.95),
      reference: least(quiet.searches),
    },
    { work: 'retype: edits meanwhile, 95 %', milliseconds: quantile(busy.edits, 0.95), reference: least(quiet.edits) },
    { work: 'retype: the slowest edit', milliseconds: Math.max(...busy.edits), ...limit },
  ]
}

async function retype(client: Client, name: string, type: string): Promise<void> {
  const fields = () => client.get<Field[]>(`${service}/fields/details`)
  const { _id = '' } = (await fields()).find((field) => field.name === name) ?? {}
  await client.put(`${service}/fields/${_id}/type`, { reading: { type } })
  await waitUntil(async () => {
    const field = (await fields()).find((each) => each._id === _id)
    if (field?.typeChange?.status === 'rejected') throw new Error(`${name}: ${field.typeChange.reason}`)
    return field?.typeChange === null
  })
}

/** Searches and edits contacts in turn, with short pauses, until `end` is settled. Returns the times of both in ms. */
async function useUntil(client: Client, ask: Ask, end: Promise<unknown>): Promise<Times> {
  const times: Times = { searches: [], edits: [], refused: 0 }
  let isOver = false
  const over = end.finally(() => (isOver = true))
  const first = await client.get<Contact[]>(offersPath({ limit: 200 }))
  const notes = new Map(first.map(({ _id, Notes }) => [_id, Notes ?? null]))
  for (let round = 0; !isOver; round++) {
    times.searches.push(await timed(() => ask.json(offersPath({ find: [{ $match: { City: 'Austin' } }], limit: 25 }))))
    const contact = first[round % first.length]
    if (contact) {
      const change = { from: notes.get(contact._id) ?? null, to: `note ${round}` }
      const edit = async (): Promise<void> => {
        try {
          await client.put(`${service}/offers/${contact._id}`, { changes: { Notes: change } })
          notes.set(contact._id, change.to)
        } catch (error) {
          // An edit gives way after 200 ms to a transaction that holds the contact.
          if (!String(error).includes('contact_busy')) throw error
          times.refused++
        }
      }
      times.edits.push(await timed(edit))
    }
    await new Promise((resolve) => setTimeout(resolve, breathMs))
  }
  await over
  return times
}
