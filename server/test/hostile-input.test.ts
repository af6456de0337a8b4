import { api } from '@portico/contract/api'
import type { Route } from '@portico/contract/route'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { addContacts } from '#test/resources/contacts.ts'
import { type Answer, type Client, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Input that no call can process, sent to every call of the API.

let portal: TestPortal
let root: Client
beforeAll(async () => {
  portal = await startPortal()
  root = await portal.powerAdmin()
})
afterAll(() => portal.close())

const calls = Object.entries(api) as [string, Route][]
const isServed = ({ path }: Route): boolean => !path.includes('/public/') && !path.startsWith('/files/')

function ask(
  { method, path }: Route,
  query = '',
  body?: unknown,
  params: Record<string, string> = {},
): Promise<Answer> {
  const filled = path.replaceAll(/:(\w+)/g, (_whole, name: string) => params[name] ?? '1')
  const send = { GET: root.get, POST: root.post, PUT: root.put, DELETE: root.delete }[method]
  return send(query === '' ? filled : `${filled}?${query}`, body)
}

const refusal = ({ status, body }: Answer): unknown => ({ status, error: (body as { error: unknown }).error })
const invalid = (field: string, message: string): unknown => ({
  status: 400,
  error: { code: 'invalid_input', message: `${field}: ${message}`, details: [{ field, message }] },
})
const halfPair = 'Text must not contain half of a surrogate pair.'
const tooDeep = 'Nest values at most 200 levels deep.'
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

describe('a body', () => {
  const withBody = calls.filter(([, route]) => isServed(route) && route.body && !(route.body instanceof z.ZodFile))

  test.each(withBody)('of %s with half a surrogate pair is refused, in a value or a name', async (_name, route) => {
    const send = (body: unknown) => ask(route, '', body)
    expect(refusal(await send({ name: { of: ['x\ud800'] } }))).toEqual(invalid('name', halfPair))
    expect(refusal(await send({ '\udc00x': 1 }))).toEqual(invalid('\ufffdx', halfPair))
  })

  test.each(withBody)('of %s with deep nesting is refused', async (_name, route) => {
    const body: unknown = JSON.parse(`{"name":${nested(4000)}}`)
    expect(refusal(await ask(route, '', body))).toEqual(invalid('name', tooDeep))
  })
})

describe('a query', () => {
  const isJson = (schema: unknown): boolean =>
    schema instanceof z.ZodType &&
    JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })).includes('application/json')
  const withJson = calls.flatMap(([name, route]) =>
    Object.entries(route.query?.shape ?? {}).flatMap(([key, schema]) => (isJson(schema) ? [{ name, route, key }] : [])),
  )

  test('contains JSON in some calls', () => expect(withJson.length).toBeGreaterThan(5))

  test.each(withJson)(
    'of $name with half a surrogate pair or deep nesting in $key is refused',
    async ({ route, key }) => {
      const send = async (json: string) => {
        const { status, body } = await ask(route, `${key}=${encodeURIComponent(json)}`)
        return { status, details: (body as { error: { details: unknown } }).error.details }
      }
      const problem = (message: string) => ({ status: 400, details: expect.arrayContaining([{ field: key, message }]) })
      expect(await send(String.raw`[{"$match":{"City":"\ud800"}}]`)).toEqual(problem(halfPair))
      expect(await send(`[{"$match":${nested(4000)}}]`)).toEqual(problem(tooDeep))
    },
  )
})

describe('a number', () => {
  const numbers = ['65536', '2147483648', '4294967296', '9007199254740991', '9007199254740993', '1e20', '1e400', '-1']
  const isNumber = (schema: unknown): boolean =>
    schema instanceof z.ZodType && ['1', '100'].some((text) => typeof schema.safeParse(text).data === 'number')
  const inQuery = calls.flatMap(([name, route]) =>
    Object.entries(route.query?.shape ?? {}).flatMap(([key, schema]) =>
      isNumber(schema) ? [{ name, route, key }] : [],
    ),
  )
  const inPath = calls.flatMap(([name, route]) =>
    isServed(route) ? Object.keys(route.params?.shape ?? {}).map((key) => ({ name, route, key })) : [],
  )

  test.each(inQuery)('of any size in $key of $name causes no server error', async ({ route, key }) => {
    for (const number of numbers) expect((await ask(route, `${key}=${number}`)).status).toBeLessThan(500)
  })

  test.each(inPath)('of any size in the path of $name ($key) causes no server error', async ({ route, key }) => {
    for (const number of numbers) {
      const body = route.method === 'GET' ? undefined : {}
      expect((await ask(route, '', body, { [key]: number })).status).toBeLessThan(500)
    }
  })

  test('of a port is at most 65535', async () => {
    const forget = (port: string) => ask(api.forgetHostKey, '', undefined, { host: 'sftp.example.com', port })
    expect((await forget('65535')).status).toBe(404)
    for (const port of ['65536', '0', '-1', '2147483648', '1.5']) expect((await forget(port)).status).toBe(400)
  })
})

describe('a regular expression', () => {
  const hostile = [
    '(x{1,200}){1,200}',
    '((x{1,50}){1,50}){1,50}',
    '(((x{0,20}){0,20}){0,20}){0,20}',
    '(.{1,255}){1,255}y',
  ]

  test.each(hostile)('%s is refused in a filter, with or without letter case, and in a condition', async (pattern) => {
    const member = await portal.member(await portal.account())
    await addContacts(portal.parts.database, member.account, { City: 'string' }, [{ City: 'xxxx' }])
    for (const options of [{}, { $options: 'i' }]) {
      const find = JSON.stringify([{ $match: { City: { $regex: pattern, ...options } } }])
      const { status, body } = await member.get(`/contact-service/v1/offers?find=${encodeURIComponent(find)}`)
      expect({ status, body }).toMatchObject({ status: 400, body: { error: { code: 'invalid_filter' } } })
      const saved = await member.post('/contact-service/v1/rdls', { name: 'Hostile', aggregateQuery: find })
      expect(saved.status).toBeLessThan(500)
    }
    const policy = { name: 'Hostile', actions: ['bi::reports::get'], conditions: [`body::name::regex::${pattern}`] }
    expect((await root.post('/identity/v1/policies', policy)).status).toBe(400)
  })
})
