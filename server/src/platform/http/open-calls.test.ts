import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

const login = (payload: object) => portal.app.inject({ method: 'POST', url: '/api/identity/v1/login', payload })

test('the body of a public call is at most 64 kB', async () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]))
  const large = await login(many(90_000))
  expect(large.statusCode).toBe(413)
  expect(large.json()).toMatchObject({ error: { code: 'too_large' } })
  const small = await login(many(5000))
  expect(small.statusCode).toBe(400)
  expect(small.json<{ error: { details: unknown[] } }>().error.details).toHaveLength(20)
})

test('the API description is not sent again to a client that has cached it', async () => {
  const ask = (headers: Record<string, string>) => portal.app.inject({ url: '/api/openapi.json', headers })
  const plain = await ask({})
  expect(plain.json()).toMatchObject({ openapi: '3.1.0' })
  const zipped = await ask({ 'accept-encoding': 'gzip' })
  expect(zipped.headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(zipped.rawPayload).toString()).toBe(plain.payload)
  const again = await ask({ 'if-none-match': String(plain.headers.etag) })
  expect(again).toMatchObject({ statusCode: 304, payload: '' })
})
