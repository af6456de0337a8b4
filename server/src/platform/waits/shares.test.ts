import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'
import { createPoolShares, createShares } from './shares.ts'

let portal: TestPortal

beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

test('a party waits only for its own places, and times out', async () => {
  const shares = createShares({ most: 2, waitMs: 200 })
  const [first] = [await shares.take('ada', undefined), await shares.take('ada', undefined)]
  const third = shares.take('ada', undefined)
  const late = shares.take('ada', undefined)
  const leaving = new AbortController()
  const left = shares.take('ada', leaving.signal)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  await shares.take('ben', undefined)
  first()
  first()
  await third
  await expect(late).rejects.toMatchObject({ code: 'unavailable' })
})

test('the programs of an account share two thirds of the places, a person gets one third overall', async () => {
  const shares = createPoolShares(6, 200)
  const take = (person: string, account: number) => shares.take({ person, account }, undefined)
  const [free] = await Promise.all([
    take('1/service:a', 1),
    take('1/service:a', 1),
    take('1/service:b', 1),
    take('ada', 1),
  ])
  await expect(take('1/service:c', 1)).rejects.toMatchObject({ code: 'unavailable' })
  await take('ada', 2)
  await expect(take('ada', 3)).rejects.toMatchObject({ code: 'unavailable' })
  free()
  // Refused callers have kept no place.
  await take('1/service:c', 1)
  await take('ben', 3)
})

test('the sub-accounts of an account together leave places for others', async () => {
  const shares = createPoolShares(6, 200)
  const take = (person: string, account: number, parent: number | null) =>
    shares.take({ person, account, parent }, undefined)
  await Promise.all([...['ada', 'ada', 'ben', 'ben'].map((person) => take(person, 2, 1)), take('cleo', 3, 1)])
  await expect(take('cleo', 3, 1)).rejects.toMatchObject({ code: 'unavailable' })
  await expect(take('dan', 1, null)).rejects.toMatchObject({ code: 'unavailable' })
  await take('eve', 4, null)
})

test('slow searches of one person leave connections for others, and are all answered', async () => {
  const { pool } = portal.parts.database
  const [one, other] = [await portal.account(), await portal.account()]
  const [slow, quick] = [await portal.member(one), await portal.member(other)]
  for (const account of [one, other]) {
    await addContacts(portal.parts.database, account, { Name: 'string' }, [{ Name: 'Ada' }])
  }
  const find = encodeURIComponent(JSON.stringify([{ $match: { Name: 'Ada' } }]))
  const group = encodeURIComponent(JSON.stringify([{ $group: { _id: '$Name' } }]))
  const asked = [`find=${find}`, `find=${find}&count=`, `aggregate=${group}`]
  // Requests known fields, so the searches below only need the contacts.
  for (const query of asked) expect((await slow.get(`/contact-service/v1/offers?${query}`)).status).toBe(200)
  const holder = await pool.connect()
  let answers: Promise<number[]> | undefined
  try {
    await holder.query('BEGIN')
    await holder.query(`LOCK TABLE account_${one}.contacts IN ACCESS EXCLUSIVE MODE`)
    // More than there are connections for reading.
    answers = Promise.all(
      Array.from(
        { length: 12 },
        async (_, at) => (await slow.get(`/contact-service/v1/offers?${asked[at % asked.length] ?? ''}`)).status,
      ),
    )
    await sleep(200)
    const answer = await Promise.race([quick.get(`/contact-service/v1/offers?find=${find}`), sleep(4000, null)])
    expect(answer).toMatchObject({ status: 200, body: [{ Name: 'Ada' }] })
  } finally {
    await holder.query('ROLLBACK')
    holder.release()
  }
  expect(await answers).toEqual(Array(12).fill(200))
})
