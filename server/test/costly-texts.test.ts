import { filterLimits } from '@portico/contract/filter'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath, addAccess, noLimits, readOffer, stranger } from '#test/resources/remote-accesses.ts'
import { timedCall } from '#test/kit/timed.ts'

// Handlers read the texts of calls after the checks of `costly-input.test.ts`: here each gets the largest ones, of
// shapes that make careless expressions start over repeatedly.

/** Maximum characters of a value in a filter. */
const ofFilter = filterLimits.storedLength
/** Maximum characters of a header or of a path. */
const ofHeader = 15_000
const ofCell = 1_000_000

const shapes: [shape: string, text: (size: number) => string][] = [
  ['digits before a letter', (size) => `${'1'.repeat(size - 1)}x`],
  ['blanks between letters', (size) => `x${' '.repeat(size - 2)}x`],
  ['an address of dots', (size) => `a@${'.'.repeat(size - 3)} `],
  ['a word again and again', (size) => 'Version/'.repeat(size / 8)],
  ['brackets', (size) => '({['.repeat(size / 3)],
  ['a domain of signs', (size) => `${'a-.'.repeat(size / 3)}!`],
]

/** Returns the size for a text of about this length in a query. */
function sizeIn(text: (size: number) => string, length: number): number {
  const sample = 96
  const encoded = new URLSearchParams({ '': text(sample) }).toString().length
  return Math.floor((length * sample) / encoded / sample) * sample
}

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal({ remoteAccessLimits: noLimits })
  await portal.startWorker()
  const account = await portal.account()
  member = await portal.member(account)
  const cells = shapes.map(([, text]) => ({ Email: 'x', Name: 'x', Code: text(ofCell) }))
  await addContacts(portal.parts.database, account, { Email: 'string', Name: 'string', Code: 'string' }, cells)
  await addAccess(member, { publicColumns: 'Name' })
  await addAccess(member, { filter: '{"purl":"{{purl}}"}', publicColumns: 'Name' })
  await addAccess(member, { filter: '{"Email":"{{Email}}","Name":"{{Name}}"}', publicColumns: 'Name' })
})
afterAll(() => portal.close())

describe.each(shapes)('%s', (_shape, text) => {
  const exported = { delimiter: 'csv', exportFields: ['Name'] }

  test.each(['purl', 'Name', '_id', 'Import'])('can be searched for in %s without delay', async (field) => {
    const find = encodeURIComponent(JSON.stringify([{ $match: { [field]: text(ofFilter / 4) } }]))
    const answer = await timedCall(() => member.get(`/contact-service/v1/offers?find=${find}`))
    expect(answer.status).toBeLessThan(500)
  })

  test('can be saved in a filter and in an export without delay', async () => {
    const query = [{ $match: { purl: text(ofFilter - 100) } }]
    const saved = { name: `Saved ${_shape}`, query }
    const made = { ...exported, name: `Made ${_shape}`, aggregateQuery: JSON.stringify(query) }
    const answers = await timedCall(() =>
      Promise.all([member.post('/contact-service/v1/rdls', saved), member.post('/contact-service/v1/exports', made)]),
    )
    for (const { status } of answers) expect(status).toBeLessThan(500)
  })

  test.each([['Email'], ['purl'], ['Email', 'Name']])(
    'can be sent by a stranger as %s without delay',
    async (...names) => {
      // As long as the path can be once it is encoded.
      const values = Object.fromEntries(names.map((name) => [name, text(sizeIn(text, ofHeader / names.length))]))
      const caller = stranger(portal, 'https://shop.example.com')
      const answers = await timedCall(async () => {
        const done = []
        for (let round = 0; round < 60; round++) done.push(await readOffer(caller, member.account, values))
        return done
      })
      for (const { status } of answers) expect(status).toBe(404)
    },
  )

  test('can be a user agent at sign-in without delay', async () => {
    const caller = portal.asking({ 'user-agent': text(ofHeader) })
    const answer = await timedCall(() =>
      caller.post('/identity/v1/login', { email: member.email, password: 'not the password' }),
    )
    // Too many failures are refused.
    expect([401, 429]).toContain(answer.status)
  })
})

test('rating a column of such texts is fast', async () => {
  const answer = await timedCall(() => member.get(`${accessPath}/rating?column=Code`))
  expect(answer.status).toBe(200)
})
