import { Writable } from 'node:stream'
import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { sendError } from './errors.ts'

async function sent(error: Error): Promise<{ status: number; code: string; log: string }> {
  const lines: string[] = []
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(line.toString())
      done()
    },
  })
  const app = fastify({ logger: { level: 'error', stream } })
  app.setErrorHandler(sendError)
  app.get('/', () => Promise.reject(error))
  const reply = await app.inject('/')
  await app.close()
  return { status: reply.statusCode, code: reply.json<{ error: { code: string } }>().error.code, log: lines.join('') }
}

test('work that ended since its client left is no fault of the server', async () => {
  const { code, log } = await sent(new DOMException('This operation was aborted', 'AbortError'))
  expect({ code, log }).toEqual({ code: 'timed_out', log: '' })
})

test('unexpected errors are logged', async () => {
  const { status, code, log } = await sent(new Error('disk on fire'))
  expect({ status, code }).toEqual({ status: 500, code: 'unexpected' })
  expect(log).toContain('disk on fire')
})
