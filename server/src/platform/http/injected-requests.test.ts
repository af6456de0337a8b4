import { setTimeout } from 'node:timers/promises'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { limitSlowRequests } from './slow-requests.ts'

// For requests of connections, see server/test/slow-requests.test.ts.

test.each([['GET'], ['POST']] as const)('an injected %s, which has no connection, is not timed out', async (method) => {
  const app = fastify()
  limitSlowRequests(app, { bodyMs: 20 })
  // Runs before the body is read, like the look-up of the caller.
  app.addHook('onRequest', async () => setTimeout(200))
  app.route({ method, url: '/', handler: async () => 'done' })
  expect(await app.inject({ method, url: '/', ...(method === 'POST' && { payload: { a: 1 } }) })).toMatchObject({
    statusCode: 200,
    body: 'done',
  })
  await app.close()
})
