import { Agent, request } from 'node:http'
import type { Portal } from './portal.ts'
import type { Measurement } from './report.ts'

const requests = 8000
const atOnce = 20
const limitBytes = 400 * 1024 * 1024

/** A call of the API, as its description documents it. */
type Call = { method: string; path: string; query: string[]; body: string[] | null }

/** A request; `body` is text, which may not be JSON. */
type Wrong = { method: string; path: string; body: string | null }

/**
 * Sends wrong requests to every call; measures the time of one and the portal's peak memory. Throws if one ends with
 * 500.
 */
export async function benchFuzz(portal: Portal): Promise<Measurement[]> {
  const calls = await documentedCalls(portal)
  const wrong = Array.from({ length: requests }, (_, at) => wrongRequest(calls[at % calls.length], at))
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const found = new Map<number, number>()
  portal.memory.reset()
  const start = performance.now()
  const sendUntilEmpty = async () => {
    for (let next = wrong.pop(); next; next = wrong.pop()) {
      const status = await send(portal, agent, next)
      found.set(status, (found.get(status) ?? 0) + 1)
      if (status === 500) throw new Error(`${next.method} ${next.path.slice(0, 300)} ended with 500`)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, sendUntilEmpty))
  const milliseconds = (performance.now() - start) / requests
  agent.destroy()
  console.log([...found].map(([status, count]) => `${count} times ${status}`).join(', '))
  const work = `${requests.toLocaleString('en-US')} wrong requests, time each`
  return [{ work, milliseconds, peakBytes: portal.memory.peakBytes(), peakLimitBytes: limitBytes }]
}

// These end the session of the bench, or never end themselves.
const leftOut = new Set(['logout', 'getChanges'])

type Described = {
  operationId: string
  parameters?: { name: string; in: string }[]
  requestBody?: { content: { 'application/json'?: { schema: Schema } } }
}
type Schema = { $ref?: string; properties?: Record<string, unknown>; anyOf?: Schema[]; oneOf?: Schema[] }
type Documentation = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

async function documentedCalls(portal: Portal): Promise<Call[]> {
  const { paths, components } = await portal.get<Documentation>('/openapi.json')
  const namesOf = ({ $ref, properties, anyOf, oneOf }: Schema): string[] => {
    const referred = $ref === undefined ? undefined : components.schemas[$ref.split('/').at(-1) ?? '']
    const parts = [...(anyOf ?? []), ...(oneOf ?? []), ...(referred ? [referred] : [])]
    return [...Object.keys(properties ?? {}), ...parts.flatMap(namesOf)]
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, parameters = [], requestBody }]) => {
      if (leftOut.has(operationId)) return []
      const query = parameters.flatMap((each) => (each.in === 'query' ? [each.name] : []))
      const schema = requestBody?.content['application/json']?.schema
      return [{ method: method.toUpperCase(), path, query, body: requestBody ? namesOf(schema ?? {}) : null }]
    }),
  )
}

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
const list = (length: number): string => JSON.stringify(Array.from({ length }, (_, at) => `value ${at}`))

/** Values, as JSON, that no call accepts, or few: small ones, and some as large as a request may be. */
const values: (() => string)[] = [
  () => 'null',
  () => '-1',
  () => '1e400',
  () => '99999999999999999999',
  () => 'true',
  () => '{}',
  () => '[[[]]]',
  () => String.raw`"\ud800"`,
  () => String.raw`"a\u0000b"`,
  () => String.raw`{"__proto__":{"x":1}}`,
  () => `"' OR 1=1 --"`,
  () => `"(x{1,200}){1,200}"`,
  () => '{"$where":"sleep(1000)"}',
  () => nested(199),
  () => nested(4000),
  () => nested(300_000),
  () => list(10_000),
  () => list(50_000),
  () => JSON.stringify('x'.repeat(900_000)),
  () => JSON.stringify('é'.repeat(400_000)),
  () => JSON.stringify('{"a":'.repeat(100_000)),
  () => `[${'{},'.repeat(250_000)}{}]`,
  () => JSON.stringify([{ $match: { $or: Array.from({ length: 20_000 }, (_, at) => ({ City: `${at}` })) } }]),
  () => `[${'{"$match":{"City":{"$regex":"x+"}}},'.repeat(20_000)}{}]`,
]

/** Text that is not JSON, or not in the format that it claims. */
const broken = ['', '{', '{"a":1}{"b":2}', '\u0000', '<a/>', `{"a":"${'x'.repeat(500_000)}`, `${'['.repeat(500_000)}`]

function wrongRequest(call: Call | undefined, at: number): Wrong {
  if (!call) throw new Error('The portal documents no calls.')
  // Neighbors differ, and each call gets each value.
  const turn = Math.floor(at / 7) + at
  const value = values[turn % values.length]?.() ?? 'null'
  const path = call.path.replaceAll(/\{\w+\}/g, () => (turn % 3 === 0 ? encodeURIComponent(value.slice(0, 5000)) : '1'))
  // The head of a request may have 1 MB.
  const text = encodeURIComponent(value).slice(0, 900_000)
  const query = call.query.map((name) => `${name}=${call.body ? '1' : text.slice(0, 900_000 / call.query.length)}`)
  const whole = query.length > 0 ? `${path}?${query.join('&')}` : path
  if (!call.body) return { method: call.method, path: whole, body: null }
  if (turn % 11 === 0) return { method: call.method, path: whole, body: broken[turn % broken.length] ?? '' }
  // Each property in turn has the value; the others are small.
  const name = call.body[turn % Math.max(1, call.body.length)] ?? 'unknown'
  const others = call.body.filter((each) => each !== name).map((each) => `${JSON.stringify(each)}:"1"`)
  return { method: call.method, path: whole, body: `{${[`${JSON.stringify(name)}:${value}`, ...others].join(',')}}` }
}

/** Returns the status of the reply; 0 if the connection broke. */
function send({ port, token }: Portal, agent: Agent, { method, path, body }: Wrong): Promise<number> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body !== null && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  }
  return new Promise((resolve) => {
    const sent = request({ port, host: '127.0.0.1', agent, method, path: `/api${path}`, headers }, (reply) => {
      reply.resume().once('end', () => resolve(reply.statusCode ?? 0))
      reply.once('error', () => resolve(reply.statusCode ?? 0))
    })
    sent.once('error', () => resolve(0))
    sent.end(body ?? undefined)
  })
}
