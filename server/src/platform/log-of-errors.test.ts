import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createLog, sparseWarnings } from './log.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-log-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('a database error is logged without its connection, which holds keys', async () => {
  const file = join(folder, 'portico.log')
  const log = createLog({ file })
  const error = Object.assign(new Error('Connection terminated'), { code: '57P01', client: { secretKey: 4711 } })
  log.warn({ err: error }, 'job queue')
  // The log is written asynchronously.
  await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain('\n')
  const line = await readFile(file, 'utf8')
  expect(JSON.parse(line)).toMatchObject({ msg: 'job queue', err: { message: 'Connection terminated', code: '57P01' } })
  expect(line).not.toContain('4711')
})

test('direction marks and other invisible characters are escaped in the log', async () => {
  const file = join(folder, 'hidden.log')
  createLog({ file }).info({ name: 'a\u202Eb\u200Bc\u2028d\u{E0041}' }, 'x\u2066y')
  await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain('\n')
  const line = await readFile(file, 'utf8')
  expect(line).toContain(String.raw`a\u202eb\u200bc\u2028d\udb40\udc41`)
  expect(JSON.parse(line)).toMatchObject({ name: 'a\u202Eb\u200Bc\u2028d\u{E0041}', msg: 'x\u2066y' })
})

test('a repeated error is logged immediately, then occasionally with the number of repetitions', async () => {
  const file = join(folder, 'sparse.log')
  const warn = sparseWarnings(createLog({ file }), 'job queue', 10_000)
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    for (let second = 0; second <= 20; second++) {
      warn(new Error(`at ${second}`))
      vi.advanceTimersByTime(1000)
    }
  } finally {
    vi.useRealTimers()
  }
  await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain('at 20')
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { msg: 'job queue', err: { message: 'at 0' } },
    { err: { message: 'at 10' }, unlogged: 9 },
    { err: { message: 'at 20' }, unlogged: 9 },
  ])
})
