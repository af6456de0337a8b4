import { afterAll, beforeAll, expect, test } from 'vitest'
import { memberWith } from '#test/resources/access.ts'
import { createIndex, customIndexes, settledIndex } from '#test/resources/indexes.ts'
import { ended, importFile, submit } from '#test/resources/imports.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath, newAccess } from '#test/resources/remote-accesses.ts'
import { restrictedMember } from '#test/resources/row-rules.ts'

// Messages and files that are not contacts, but contain their values.

let portal: TestPortal
let owner: Member
let restricted: Member

const imports = '/contact-service/v1/imports'
const refusal = { status: 403, body: { error: { code: 'not_allowed' } } }
const value = 'topsecret'

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  owner = await portal.member(await portal.account())
  const file = `Name,City,Note,Code\nAda,Bern,plain,1\nBob,Rome,${value},2\nCleo,Rome,${value},${value}3\n`
  await importFile(portal, owner, file, { generatePURL: false })
  restricted = await restrictedMember(portal, owner.account, [{ $match: { City: 'Bern' } }])
}, 120_000)
afterAll(() => portal.close())

test('only persons who see all contacts can preview rows of a file', async () => {
  const { filePath } = (await owner.get(imports)).json<{ filePath: string }[]>()[0] ?? {}
  const preview = { filePath, fileDelimiter: 'comma', typeCasting: false }
  expect(JSON.stringify((await owner.post(`${imports}/preview`, preview)).body)).toContain(value)
  expect(await restricted.post(`${imports}/preview`, preview)).toMatchObject(refusal)
})

test('only persons who see all contacts can create unique indexes; other indexes are open to all', async () => {
  const key = [['Name', 1]]
  expect(await createIndex(restricted, key, { unique: true })).toMatchObject(refusal)
  expect((await createIndex(restricted, key)).status).toBe(202)
})

test('the reason why a unique index failed is shown to others without the values', async () => {
  expect((await createIndex(owner, [['Note', 1]], { unique: true })).status).toBe(202)
  expect(await settledIndex(owner, 'cIndex_Note_1')).toMatchObject({
    reason: `1 value of "Note" occurs more than once, in 2 contacts. For example, "${value}" occurs 2 times.`,
  })
  const seen = (await customIndexes(restricted)).find(({ name }) => name === 'cIndex_Note_1')
  expect(seen).toMatchObject({ state: 'failed', reason: '1 value of "Note" occurs more than once, in 2 contacts.' })
})

test('the reason why an import failed is shown, and searchable, only for persons who see all contacts', async () => {
  expect((await createIndex(owner, [['Code', 1]], { unique: true })).status).toBe(202)
  expect(await settledIndex(owner, 'cIndex_Code_1')).toMatchObject({ state: 'ready' })
  const repeated = await submit(portal, owner, `Name,Code\nDora,${value}3\n`, { generatePURL: false })
  const { _id: failed } = await ended(owner, repeated._id)
  const find = encodeURIComponent(JSON.stringify([{ $match: { recoveryError: { $regex: value } } }]))
  const sort = encodeURIComponent(JSON.stringify({ recoveryError: 1 }))
  const reads = [imports, `${imports}/${failed}`, '/contact-service/v1/activity']
  const texts = (client: Client) =>
    Promise.all(reads.map(async (path) => JSON.stringify((await client.get(path)).body)))
  for (const text of await texts(owner)) expect(text).toContain(`${value}3`)
  for (const text of await texts(restricted)) {
    expect(text).toContain('Only people who see all contacts can read it')
    expect(text).not.toContain(value)
  }
  expect((await owner.get(`${imports}?find=${find}&count=`)).body).toEqual({ count: 1 })
  for (const query of [`find=${find}&count=`, `find=${find}`, `sort=${sort}`])
    expect(await restricted.get(`${imports}?${query}`)).toMatchObject({ status: 400 })
})

test('indexes and imports show values only to persons who may search for them', async () => {
  const looks = ['contact-service::indexes::*', 'contact-service::imports::*', 'contact-service::uploads::*'] as const
  const none = await portal.member(owner.account, ...looks)
  const without = async (condition: string) =>
    memberWith(portal, owner.account, {
      actions: [...looks, 'contact-service::offers::get'],
      conditions: [condition],
    })
  const others = [none, await without('query::find::nct::note'), await without('query::select::nct::note')]
  const reason = '1 value of "Note" occurs more than once, in 2 contacts.'
  for (const by of others) {
    expect((await customIndexes(by)).find(({ name }) => name === 'cIndex_Note_1')).toMatchObject({ reason })
  }
  const searching = await portal.member(owner.account, ...looks, 'contact-service::offers::get')
  const seen = (await customIndexes(searching)).find(({ name }) => name === 'cIndex_Note_1')
  expect(seen?.reason).toContain(value)
  const read = async (by: Client) =>
    JSON.stringify([(await by.get(imports)).body, (await by.get('/contact-service/v1/activity')).body])
  const find = encodeURIComponent(JSON.stringify([{ $match: { recoveryError: { $regex: value } } }]))
  for (const by of others) {
    expect(await read(by)).not.toContain(`${value}3`)
    expect(await by.get(`${imports}?find=${find}`)).toMatchObject({ status: 400 })
  }
  expect(await read(searching)).toContain(`${value}3`)
  // The person who started an import has its file.
  const own = await submit(portal, none, `Name,Code\nDora,${value}3\n`, { generatePURL: false })
  const { recoveryError } = await ended(none, own._id)
  expect(recoveryError).toContain(`${value}3`)
})

test('a trial of a remote access reveals nothing about contacts with the same values', async () => {
  const draft = newAccess({ domainOrIp: 'shop.example', filter: '{"Name":"{{Name}}"}', publicColumns: 'City' })
  const trial = { origin: 'https://shop.example', query: { Name: 'Ada' }, draft }
  expect((await owner.post(`${accessPath}/trial`, trial)).body).toMatchObject({ status: 200 })
  expect(await restricted.post(`${accessPath}/trial`, trial)).toMatchObject(refusal)
})
