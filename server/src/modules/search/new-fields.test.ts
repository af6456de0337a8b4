import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureFields } from '#contacts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

it('knows new fields and their types at once, in their own account only', async () => {
  const { db } = portal.parts.database
  const [account, other] = [await portal.account(), await portal.account()]
  const [member, stranger] = [await portal.member(account), await portal.member(other)]
  const find = encodeURIComponent(JSON.stringify([{ $match: { Height: { $gt: 9 } } }]))
  const path = `/contact-service/v1/offers?find=${find}&count=`
  const refused = { status: 400, body: { error: { code: 'invalid_filter' } } }

  expect(await member.get(path)).toMatchObject(refused)
  await ensureFields(db, account, [{ name: 'Height', type: 'number' }])
  expect((await member.get(path)).body).toEqual({ count: 0 })
  expect(await stranger.get(path)).toMatchObject(refused)
  // A type that does not fit widens the field to text, which is not compared with a number.
  await ensureFields(db, account, [{ name: 'Height', type: 'boolean' }])
  expect(await member.get(path)).toMatchObject(refused)
})
