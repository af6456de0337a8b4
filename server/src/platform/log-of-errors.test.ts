import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from './log.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-log-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('an error of the database is logged without its connection, which has keys', async () => {
  const file = join(folder, 'portico.log')
  const log = createLog({ file })
  const error = Object.assign(new Error('Connection terminated'), { code: '57P01', client: { secretKey: 4711 } })
  log.warn({ err: error }, 'job queue')
  // The log is written a moment later.
  await expect.poll(() => readFile(file, 'utf8').catch(() => '')).toContain('\n')
  const line = await readFile(file, 'utf8')
  expect(JSON.parse(line)).toMatchObject({ msg: 'job queue', err: { message: 'Connection terminated', code: '57P01' } })
  expect(line).not.toContain('4711')
})
