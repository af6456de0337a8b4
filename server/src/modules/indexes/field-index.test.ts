import { afterAll, beforeAll, expect, test } from 'vitest'
import { identityOf, memberWith } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { buildIndex, createIndex, indexedTypes, indexesPath, indexingMember } from '#test/resources/indexes.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath } from '#test/resources/remote-accesses.ts'
import { setRowRule } from '#test/resources/row-rules.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
})
afterAll(() => portal.close())

const fieldIndex = async (by: Member, field: string) =>
  (await by.get(`${indexesPath}/field?field=${encodeURIComponent(field)}`)).body

test('the index state of a field is returned, and a few contacts are quick to index', async () => {
  const member = await indexingMember(portal)
  expect(await fieldIndex(member, 'city')).toEqual({ state: null, isQuick: true })
  await createIndex(member, [['City', 1]])
  expect(await fieldIndex(member, 'City')).toEqual({ state: 'building', isQuick: true })
  expect(await fieldIndex(member, 'Age')).toEqual({ state: null, isQuick: true })
})

test('an index of two fields counts for the first, and a failed index is reported', async () => {
  const worker = await startPortal()
  try {
    await worker.startWorker()
    const member = await indexingMember(worker)
    await buildIndex(member, { Age: 1, City: 1 })
    expect(await fieldIndex(member, 'Age')).toEqual({ state: 'ready', isQuick: true })
    // Values that occur twice do not keep another index from being built.
    expect(await buildIndex(member, [['City', 1]], { unique: true })).toMatchObject({ state: 'failed' })
    expect(await fieldIndex(member, 'City')).toEqual({ state: null, isQuick: true })
    await addContacts(worker.parts.database, member.account, indexedTypes, [
      { Email: Array.from({ length: 250 }, () => crypto.randomUUID()).join('') },
    ])
    expect(await buildIndex(member, [['Email', 1]])).toMatchObject({ state: 'failed' })
    expect(await fieldIndex(member, 'Email')).toEqual({ state: 'failed', isQuick: true })
  } finally {
    await worker.close()
  }
})

test('many contacts are slow to index: text fields sooner than numbers', async () => {
  const account = await portal.account()
  const member = await portal.member(account)
  await addContacts(portal.parts.database, account, indexedTypes, [])
  await portal.parts.database.pool.query(
    `INSERT INTO account_${account}.contacts (id, import_id) SELECT i, 1 FROM generate_series(1, 750000) AS i`,
  )
  expect(await fieldIndex(member, 'Email')).toEqual({ state: null, isQuick: false })
  expect(await fieldIndex(member, 'Age')).toEqual({ state: null, isQuick: true })
})

test('the index state requires the right to create indexes, and covers only the own account', async () => {
  const member = await indexingMember(portal)
  const maker = await portal.member(member.account, 'contact-service::indexes::post', 'contact-service::offers::get')
  expect(await fieldIndex(maker, 'City')).toEqual({ state: null, isQuick: true })
  const reader = await portal.member(member.account, 'contact-service::indexes::get')
  expect(await reader.get(`${indexesPath}/field?field=City`)).toMatchObject({ status: 403 })
  await createIndex(member, [['City', 1]])
  const stranger = await indexingMember(portal)
  expect(await fieldIndex(stranger, 'City')).toEqual({ state: null, isQuick: true })
})

test.each(['?field=Town', '?field=purl', '', '?field=City&field2=Age'])('%s is refused', async (query) => {
  const member = await indexingMember(portal)
  expect(await member.get(`${indexesPath}/field${query}`)).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_input' } },
  })
})

test('callers who may not read a field learn nothing about it from estimates, unique indexes and ratings', async () => {
  const member = await indexingMember(portal)
  const actions = ['contact-service::indexes::*', 'contact-service::remoteAccess::*', 'contact-service::offers::get']
  const conditions = ['query::select::nct::Age']
  const policies = actions.map((action) => ({
    actions: [action],
    ...(action.endsWith('offers::get') && { conditions }),
  }))
  const blind = await memberWith(portal, member.account, ...policies)
  const unlike = (name: string) => ({ status: 400, body: { error: { message: expect.stringContaining(name) } } })
  for (const [path, answers] of [
    [`${indexesPath}/estimate?field=`, 200],
    [`${indexesPath}/field?field=`, 200],
    [`${accessPath}/rating?column=`, 200],
  ] as const) {
    expect(await blind.get(`${path}City`)).toMatchObject({ status: answers })
    const [hidden, missing] = [await blind.get(`${path}Age`), await blind.get(`${path}Ago`)]
    expect(hidden).toMatchObject(unlike('Age'))
    expect(JSON.stringify(hidden.body)).toBe(JSON.stringify(missing.body).replaceAll('Ago', 'Age'))
  }
  expect(await createIndex(blind, [['Age', 1]], { unique: true })).toMatchObject(unlike('Age'))
  expect(await createIndex(blind, [['City', 1]], { unique: true })).toMatchObject({ status: 202 })
})

test('an identity that sees only some contacts gets no estimate, which counts all', async () => {
  const { account } = await indexingMember(portal)
  const limited = await memberWith(portal, account, { actions: ['*::*::*'] })
  await setRowRule(portal, await identityOf(portal, limited), [{ $match: { City: 'Bern' } }])
  expect(await limited.get(`${indexesPath}/estimate?field=City`)).toMatchObject({
    status: 403,
    body: { error: { message: 'Your identity sees only some contacts. An estimate counts all contacts.' } },
  })
})
