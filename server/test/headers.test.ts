import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Headers of every response of the portal.

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const headersOf = async (url: string) => {
  const headers = { accept: 'text/html', authorization: `Bearer ${member.token}` }
  return (await portal.app.inject({ url, headers })).headers
}

describe.each([
  ['an answer of the API', '/api/identity/v1/accounts'],
  ['a refusal', '/api/identity/v1/accounts/details'],
  ['a call that is none', '/api/nowhere'],
  ['the description of the API', '/api/docs'],
  ['a file that is not there', '/api/files/nothing'],
])('%s', (_what, url) => {
  test('has security headers', async () => {
    expect(await headersOf(url)).toMatchObject({
      'content-security-policy': // If the web app is built, the hash of its inline script follows.
        expect.stringMatching(/default-src 'none';script-src 'self'( 'sha256-[\w+/]+={0,2}')?;/),
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cache-control': 'no-store',
    })
  })

  test('allows no other origin and sets no cookie', async () => {
    const headers = await headersOf(url)
    expect(headers['access-control-allow-origin']).toBeUndefined()
    expect(headers['set-cookie']).toBeUndefined()
  })
})

test('a content type without a body is treated as no body', async () => {
  const headers = { authorization: `Bearer ${member.token}`, 'content-type': 'application/json' }
  const send = (method: 'DELETE' | 'POST', url: string) => portal.app.inject({ method, url, headers })
  expect((await send('DELETE', '/api/contact-service/v1/indexes/City_1')).statusCode).toBe(404)
  expect((await send('POST', '/api/contact-service/v1/indexes')).json()).toMatchObject({
    error: { code: 'invalid_input', details: [{ field: 'key', message: 'Value is required!' }] },
  })
})
