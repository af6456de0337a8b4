import type { FieldEntry } from '@portico/contract/fields'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const fields = '/contact-service/v1/fields'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

async function owner(): Promise<{ member: Member; path: string }> {
  const member = await portal.member(await portal.account())
  await importFile(
    portal,
    member,
    `Email,Score\n${Array.from({ length: 300 }, (_, at) => `p${at}@x,${at}`).join('\n')}\n`,
  )
  const score = (await member.get(`${fields}/details`)).json<FieldEntry[]>().find(({ name }) => name === 'Score')
  return { member, path: `${fields}/${score?._id}/type?type=number` }
}

test('previews of one person take turns, and more than two waiting are refused without delaying others', async () => {
  const [one, other] = [await owner(), await owner()]
  const flood = Array.from({ length: 8 }, () => one.member.get(one.path))
  expect(await other.member.get(other.path)).toMatchObject({ status: 200, body: { filled: 300 } })
  const replies = await Promise.all(flood)
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200, 200, 200, 429, 429, 429, 429, 429,
  ])
  expect(await one.member.get(one.path)).toMatchObject({ status: 200 })
})
