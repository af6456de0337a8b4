import type { DedupKeys, KeyComputation } from '@portico/contract/dedup-keys'
import { expect, vi } from 'vitest'
import type { Client } from '#test/kit/portal.ts'

export const dedupKeysPath = '/contact-service/v1/dedup-keys'

export const readDedupKeys = async (by: Client): Promise<DedupKeys> => (await by.get(dedupKeysPath)).json<DedupKeys>()

/** Computes keys and waits for the end, in a portal with a worker. */
export async function computedKeys(by: Client, columns: string[]): Promise<KeyComputation> {
  const asked = await by.post(dedupKeysPath, { dedupColumns: columns })
  expect(asked).toMatchObject({ status: 202, body: { status: 'waiting' } })
  const last = async () => (await readDedupKeys(by)).computation
  await vi.waitUntil(async () => (await last())?.status !== 'waiting' && (await last())?.status !== 'processing', {
    timeout: 20_000,
    interval: 20,
  })
  const done = await last()
  if (!done) throw new Error('no computation')
  return done
}
