import { spawn } from 'node:child_process'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import type { Portal } from './portal.ts'
import type { Measurement } from './report.ts'

const connections = 50
const secondsEach = 5

/** Measures an authenticated read of one row by its id, compared with the web framework alone reading the same row. */
export async function benchPoint(portal: Portal): Promise<Measurement[]> {
  const [row] = await portal.get<{ _id: string }[]>('/contact-service/v1/imports?limit=1')
  if (!row) throw new Error('there is no import to read')
  const port = portal.port + 1
  const bare = spawn(
    process.execPath,
    [
      join(import.meta.dirname, 'bare-server.ts'),
      String(port),
      portal.databaseUrl,
      `account_${portal.account}.imports`,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  try {
    const framework = `http://127.0.0.1:${port}/rows/${row._id}`
    while (!(await fetch(framework).catch(() => null))?.ok) await new Promise((resolve) => setTimeout(resolve, 100))
    const own = `http://127.0.0.1:${portal.port}/api/contact-service/v1/imports/${row._id}`
    const headers = { authorization: `Bearer ${portal.token}` }
    // Alternating, so changes in the machine's speed affect both.
    let ownRequests = 0
    let bareRequests = 0
    for (let turn = 0; turn < 3; turn++) {
      ownRequests += await countRequests(own, headers)
      bareRequests += await countRequests(framework, {})
    }
    const perRequest = (requests: number) => (3 * secondsEach * 1000) / requests
    return [
      {
        work: `point read, ${connections} connections, time a request`,
        milliseconds: perRequest(ownRequests),
        reference: { name: 'bare framework', milliseconds: perRequest(bareRequests) },
        target: { ratio: 2 },
      },
    ]
  } finally {
    bare.kill()
  }
}

/** Counts requests completed within the time, with back-to-back requests on each connection. */
export async function countRequests(url: string, headers: Record<string, string>): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const end = performance.now() + secondsEach * 1000
  let answered = 0
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      get(url, { agent, headers }, (reply) => {
        if (reply.statusCode !== 200) reject(new Error(`${url}: ${reply.statusCode}`))
        reply.resume().once('end', resolve)
      }).once('error', reject)
    })
  const askUntilEnd = async () => {
    while (performance.now() < end) {
      await ask()
      answered++
    }
  }
  await Promise.all(Array.from({ length: connections }, askUntilEnd))
  agent.destroy()
  return answered
}
