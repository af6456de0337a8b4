import { Writable } from 'node:stream'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { sendError } from './errors.ts'

type Sent = { status: number; code: string; message: string; log: string }

async function sent(error: Error, level = 'error'): Promise<Sent> {
  const lines: string[] = []
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(line.toString())
      done()
    },
  })
  const app = fastify({ logger: { level, stream } })
  app.setErrorHandler(sendError)
  app.get('/', () => Promise.reject(error))
  const reply = await app.inject('/')
  await app.close()
  const { code, message } = reply.json<{ error: { code: string; message: string } }>().error
  return { status: reply.statusCode, code, message, log: lines.join('') }
}

test('work aborted because the client left is not logged as an error', async () => {
  const { code, log } = await sent(new DOMException('This operation was aborted', 'AbortError'))
  expect({ code, log }).toEqual({ code: 'timed_out', log: '' })
})

test.each([
  Object.assign(new Error('terminating connection due to administrator command'), { code: '57P01' }),
  Object.assign(new Error('the database system is starting up'), { code: '57P03' }),
  Object.assign(new Error('sorry, too many clients already'), { code: '53300' }),
  Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
  Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  new Error('Connection terminated unexpectedly'),
  new Error('timeout exceeded when trying to connect'),
])('a database that is briefly away makes the portal unavailable: %s', async (error) => {
  const { status, code } = await sent(error)
  expect({ status, code }).toEqual({ status: 503, code: 'unavailable' })
})

test.each([
  Object.assign(new Error('could not extend file "base/16385/57771": No space left on device'), { code: '53100' }),
  Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
])('a full disk makes the portal unavailable, with its own message: %s', async (error) => {
  const { status, code, message } = await sent(error)
  expect({ status, code, message }).toEqual({
    status: 503,
    code: 'unavailable',
    message: 'There is not enough disk space. Try again once there is.',
  })
})

test('a transaction that the database ended in a deadlock can be repeated, and is logged', async () => {
  const error = Object.assign(new Error('deadlock detected'), { code: '40P01' })
  const { status, code, message, log } = await sent(error, 'warn')
  expect({ status, code, message }).toEqual({
    status: 503,
    code: 'unavailable',
    message: 'Others are making changes right now. Try again in a moment.',
  })
  expect(log).toContain('two transactions waited for each other')
})

test('an unreachable server of a cluster has its own code, and its host is not shown', async () => {
  const message = 'connection to the remote node portico@10.9.8.7:5433 failed'
  const { status, code, log } = await sent(Object.assign(new Error(message), { severity: 'ERROR', code: '08006' }))
  expect({ status, code, log }).toEqual({ status: 503, code: 'server_away', log: '' })
})

test('unexpected errors are logged', async () => {
  const { status, code, log } = await sent(new Error('disk on fire'))
  expect({ status, code }).toEqual({ status: 500, code: 'unexpected' })
  expect(log).toContain('disk on fire')
})
