import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { portalFolder } from '#test/processes/running-portal.ts'

// Two portals, as processes with separate data folders, that serve one database.

const settings = { SECRET_KEY: 'a key that two processes have in common', REMOTE_ACCESS_CALLS_PER_ADDRESS: '100' }
const callsPerSecond = 20
const minuteMs = 60_000

let folders: Awaited<ReturnType<typeof portalFolder>>[]
beforeEach(async () => {
  folders = [await portalFolder(settings), await portalFolder(settings)]
})
afterEach(async () => {
  for (const folder of folders.toReversed()) await folder.remove()
})

/** Makes public calls, evenly spread over some seconds. Returns their statuses. */
async function callFor(seconds: number, portalUrl: string): Promise<number[]> {
  const statuses: Promise<number>[] = []
  for (let at = 0; at < seconds * callsPerSecond; at++) {
    const answer = fetch(`${portalUrl}/api/contact-service/v1/public/999999/offers?Email=x`)
    statuses.push(answer.then(({ status }) => status))
    await sleep(1000 / callsPerSecond)
  }
  return Promise.all(statuses)
}

test('two processes together admit an address at most one second longer than one would', async () => {
  const [home, guest] = folders
  if (!home || !guest) throw new Error('There are two folders.')
  const first = await home.start()
  await first.ready()
  const second = await guest.start({ DATABASE_URL: await home.databaseUrl() })
  await second.ready()
  // All within one minute, as the count restarts each minute.
  const left = minuteMs - (Date.now() % minuteMs)
  if (left < 20_000) await sleep(left)
  const answers = await Promise.all([callFor(6, first.url), callFor(6, second.url)])
  const admitted = answers.flat().filter((status) => status === 403).length
  expect(answers.flat().filter((status) => status !== 403 && status !== 429)).toEqual([])
  expect(admitted).toBeGreaterThanOrEqual(100)
  expect(admitted).toBeLessThanOrEqual(100 + 2 * callsPerSecond)
})
