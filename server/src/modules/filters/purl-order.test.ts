import { afterAll, beforeAll, expect, test } from 'vitest'
import { json } from '#test/kit/crowd.ts'
import { importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const names = ['ann', 'bob', 'boris', 'zoe']

let portal: TestPortal
let member: Member
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  member = await portal.member(await portal.account())
  const keys = { generatePURL: true, purlColumns: ['Name'], dedupColumns: ['Name'] }
  await importFile(portal, member, `Name\n${names.join('\n')}\n`, keys)
})
afterAll(() => portal.close())

async function found(match: object): Promise<unknown[]> {
  const reply = await member.get(`/contact-service/v1/offers?find=${json([{ $match: match }])}`)
  return reply.json<{ Name: string }[]>().map(({ Name }) => Name)
}

test.each(
  ['$gt', '$gte', '$lt', '$lte'].flatMap((operator) =>
    ['B', 'ANN', 'bo', 'Boris', 'ä', '5', 'ZZ'].map((bound) => [operator, bound]),
  ),
)('a PURL and its base are compared like other texts: %s %s', async (operator = '', bound = '') => {
  const ofTexts = await found({ Name: { [operator]: bound } })
  expect(await found({ basePurl: { [operator]: bound } })).toEqual(ofTexts)
  expect(await found({ purl: { [operator]: bound } })).toEqual(ofTexts)
})
