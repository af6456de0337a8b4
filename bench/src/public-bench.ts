import { type ChildProcess, spawn } from 'node:child_process'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startImport, waitFor } from './import-bench.ts'
import { countRequests } from './point-bench.ts'
import type { Portal } from './portal.ts'
import type { Measurement } from './report.ts'
import { quantile, timed } from './timing.ts'

/** Settings under which public calls are only limited by misses. */
export const publicSettings = {
  REMOTE_ACCESS_CALLS_PER_ADDRESS: '1000000000',
  REMOTE_ACCESS_CALLS: '1000000000',
  REMOTE_ACCESS_EVENTS: '1000000000',
}

const origin = 'https://shop.example.com'
const secondsEach = 5
const rounds = 3
const readsASecond = 200
const senders = 20
const eventsAtOnce = 20

/**
 * Measures public calls: reads of one contact, compared with the web framework alone; reads during an import; events of
 * visitors; and reads while one address floods the portal. The portal is in an account with contacts.
 */
export async function benchPublic(portal: Portal, file: string): Promise<Measurement[]> {
  const emails = await someEmails(portal)
  await openAccess(portal)
  const reads = await measureReads(portal, emails)
  const events = await measureEvents(portal, emails)
  const flood = await measureFlood(portal, emails)
  return [reads, await besideImport(portal, file, emails), ...events, flood]
}

/** Returns emails that belong to one contact each, and the id of one contact. */
async function someEmails(portal: Portal): Promise<string[]> {
  const find = encodeURIComponent(JSON.stringify([{ $match: { Email: { $exists: true } } }]))
  const path = `/contact-service/v1/offers?find=${find}&select=Email&limit=1000`
  const rows = await portal.get<{ Email: string }[]>(path)
  const client = new pg.Client({ connectionString: portal.databaseUrl })
  await client.connect()
  const { rows: fields } = await client.query<{ id: number }>(
    `SELECT id FROM account_${portal.account}.fields WHERE name = 'Email'`,
  )
  const column = `c${fields[0]?.id}`
  const { rows: repeated } = await client.query<{ email: string }>(
    `SELECT lower(btrim(${column})) AS email FROM account_${portal.account}.contacts
    WHERE lower(btrim(${column})) = ANY ($1) GROUP BY 1 HAVING count(*) > 1`,
    [rows.map(({ Email }) => Email.trim().toLowerCase())],
  )
  await client.end()
  const twice = new Set(repeated.map(({ email }) => email))
  return rows.map(({ Email }) => Email).filter((email) => !twice.has(email.trim().toLowerCase()))
}

async function openAccess(portal: Portal): Promise<void> {
  const path = '/contact-service/v1/remoteAccess'
  const settings = { type: 'domain', domainOrIp: 'shop.example.com', filter: '{"Email":"{{Email}}"}' }
  await portal.post(path, { ...settings, publicColumns: '"First Name" City' })
  const isReady = async () => (await portal.get<{ index: { state: string } }[]>(path))[0]?.index.state === 'ready'
  while (!(await isReady())) await sleep(200)
}

const offerUrl = (portal: Portal, email: string): string =>
  `http://127.0.0.1:${portal.port}/api/contact-service/v1/public/${portal.account}/offers?Email=${encodeURIComponent(email)}`

async function measureReads(portal: Portal, [email = '']: string[]): Promise<Measurement> {
  const [row] = await portal.get<{ _id: string }[]>('/contact-service/v1/offers?limit=1')
  const port = portal.port + 1
  const bare: ChildProcess = spawn(
    process.execPath,
    [
      join(import.meta.dirname, 'bare-server.ts'),
      String(port),
      portal.databaseUrl,
      `account_${portal.account}.contacts`,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  try {
    const framework = `http://127.0.0.1:${port}/rows/${row?._id}`
    while (!(await fetch(framework).catch(() => null))?.ok) await sleep(100)
    let [own, reference] = [0, 0]
    // Alternating, so changes in the machine's speed affect both.
    for (let turn = 0; turn < rounds; turn++) {
      own += await countRequests(offerUrl(portal, email), { origin })
      reference += await countRequests(framework, {})
    }
    const perRequest = (requests: number) => (rounds * secondsEach * 1000) / requests
    return {
      work: 'public read of a contact, 50 connections, time a request',
      milliseconds: perRequest(own),
      reference: { name: 'bare framework', milliseconds: perRequest(reference) },
      target: { ratio: 2 },
    }
  } finally {
    bare.kill()
  }
}

/** Returns the times of reads in ms, `perSecond` of them from one address until `end` is settled. */
async function readUntil(
  portal: Portal,
  emails: string[],
  end: Promise<unknown>,
  { perSecond, address }: { perSecond: number; address: string },
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, localAddress: address })
  const times: number[] = []
  const pending = new Set<Promise<void>>()
  let isOver = false
  const over = end.finally(() => (isOver = true))
  const started = performance.now()
  for (let at = 0; !isOver; at++) {
    const wait = started + (at * 1000) / perSecond - performance.now()
    if (wait > 0) await sleep(wait)
    const read = timed(() => ask(agent, offerUrl(portal, emails[at % emails.length] ?? ''), 200)).then(
      (time) => void times.push(time),
    )
    pending.add(read)
    void read.finally(() => pending.delete(read))
  }
  await over
  await Promise.all(pending)
  agent.destroy()
  return times
}

function ask(agent: Agent, url: string, expected: number, body?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { agent, method: body === undefined ? 'GET' : 'POST', headers: { origin, 'content-type': 'text/plain' } },
      (reply) => {
        if (reply.statusCode !== expected) reject(new Error(`${url}: ${reply.statusCode}`))
        reply.resume().once('end', resolve)
      },
    )
    sent.once('error', reject).end(body)
  })
}

async function besideImport(portal: Portal, file: string, emails: string[]): Promise<Measurement> {
  const importer = await portal.anotherClient()
  const imported = startImport(importer, file).then((path) => waitFor(importer, path))
  const times = await readUntil(portal, emails, imported, { perSecond: readsASecond, address: '127.0.0.1' })
  return {
    work: `95 of 100 public reads at ${readsASecond} a second beside an import`,
    milliseconds: quantile(times, 0.95),
    reference: { name: 'wanted', milliseconds: 20 },
    target: { ratio: 1 },
  }
}

/** Sends events in batches, from several senders concurrently; checks that each was recorded. */
async function measureEvents(portal: Portal, emails: string[]): Promise<Measurement[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: senders })
  const end = performance.now() + 2 * secondsEach * 1000
  let answered = 0
  const send = async (sender: number) => {
    for (let batch = 0; performance.now() < end; batch++) {
      const events = Array.from({ length: eventsAtOnce }, (_each, at) => ({
        id: `${sender}-${batch}-${at}`,
        event_code: 'page_view',
        event_path: '/summer',
        position: at,
      }))
      const url = offerUrl(portal, emails[(sender * 31 + batch) % emails.length] ?? '').replace('/offers?', '/events?')
      await ask(agent, url, 202, JSON.stringify({ sentAt: new Date().toISOString(), events }))
      answered += eventsAtOnce
    }
  }
  const took = await timed(() => Promise.all(Array.from({ length: senders }, (_each, sender) => send(sender))))
  agent.destroy()
  const client = new pg.Client({ connectionString: portal.databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ n: string }>(`SELECT count(*) AS n FROM account_${portal.account}.events`)
  await client.end()
  if (Number(rows[0]?.n) !== answered) throw new Error(`${answered} events were answered, ${rows[0]?.n} are there.`)
  console.log(`${Math.round((answered / took) * 1000)} events a second.`)
  return [
    {
      work: `events in batches of ${eventsAtOnce}, time for 5,000`,
      milliseconds: (took / answered) * 5000,
      reference: { name: 'wanted', milliseconds: 1000 },
      target: { ratio: 1 },
    },
  ]
}

/** Measures reads of other addresses, without and with one that sends 1,000 requests a second and is refused. */
async function measureFlood(portal: Portal, emails: string[]): Promise<Measurement> {
  const usual = { perSecond: 50, address: '127.0.0.1' }
  const quiet = await readUntil(portal, emails, sleep(2 * secondsEach * 1000), usual)
  const flooder = spawn(
    process.execPath,
    [join(import.meta.dirname, 'flood.ts'), offerUrl(portal, 'unknown'), origin],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  // Until it is refused.
  await sleep(2000)
  const meanwhile = await readUntil(portal, emails, sleep(2 * secondsEach * 1000), usual)
  flooder.kill()
  return {
    work: '95 of 100 public reads while another address sends 1,000 requests a second',
    milliseconds: quantile(meanwhile, 0.95),
    reference: { name: 'quiet', milliseconds: quantile(quiet, 0.95) },
    target: { ratio: 1.2, plus: 5 },
  }
}
