import type { IndexDetails } from '@portico/contract/indexes'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { importFile } from '#test/resources/imports.ts'
import {
  buildIndex,
  createIndex,
  customIndexes,
  indexDefinitions,
  indexedTypes,
  indexesPath,
  indexingMember,
  ownIndexes,
  settledIndex,
} from '#test/resources/indexes.ts'
import { startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

describe('deleting an index', () => {
  test.each([
    ['its key spec', 'City_1_Age_-1'],
    ['its name', 'cIndex_mine'],
    ['its name in other letters', 'CINDEX_MINE'],
  ])('by %s drops it in the background', async (_what, key) => {
    const member = await indexingMember(portal)
    await buildIndex(
      member,
      [
        ['City', 1],
        ['Age', -1],
      ],
      { name: 'mine' },
    )
    await buildIndex(member, [['Email', 1]])
    const answer = await member.delete(`${indexesPath}/${key}`)
    expect([answer.status, answer.body]).toEqual([202, { name: 'cIndex_mine' }])
    expect(await settledIndex(member, 'cIndex_mine')).toBeUndefined()
    expect((await indexDefinitions(portal, member.account)).map((definition) => definition.split(' ')[2])).toEqual([
      'field_index_2',
      'prefix_index_c1',
    ])
    expect(await member.delete(`${indexesPath}/${key}`)).toMatchObject({ status: 404 })
  })

  test('keeps what another index of the field requires for "starts with"', async () => {
    const member = await indexingMember(portal)
    await buildIndex(
      member,
      [
        ['City', 1],
        ['Age', 1],
      ],
      { name: 'one' },
    )
    await buildIndex(
      member,
      [
        ['City', 1],
        ['Email', 1],
      ],
      { name: 'two' },
    )
    await member.delete(`${indexesPath}/cIndex_one`)
    await settledIndex(member, 'cIndex_one')
    expect((await indexDefinitions(portal, member.account)).map((definition) => definition.split(' ')[2])).toEqual([
      'field_index_2',
      'prefix_index_c2',
    ])
    await member.delete(`${indexesPath}/cIndex_two`)
    await settledIndex(member, 'cIndex_two')
    expect(await indexDefinitions(portal, member.account)).toEqual([])
  })

  test('works with any characters in its names', async () => {
    const account = await portal.account()
    const odd = `a/b "c" %_d\\'é?#`
    await addContacts(portal.parts.database, account, { [odd]: 'string' }, [{ [odd]: 'x' }])
    const member = await portal.member(account)
    await buildIndex(member, [[odd, 1]], { name: odd })
    expect((await member.delete(`${indexesPath}/${encodeURIComponent(`${odd}_1`)}`)).body).toEqual({
      name: `cIndex_${odd}`,
    })
    expect(await settledIndex(member, `cIndex_${odd}`)).toBeUndefined()
  })

  test('is refused for indexes of the portal itself, and for missing ones', async () => {
    const member = await indexingMember(portal)
    for (const key of ['purl', 'purl_1', 'dedupHash', 'location', '_id_', '_ID_1']) {
      expect([key, (await member.delete(`${indexesPath}/${key}`)).body]).toMatchObject([
        key,
        { error: { code: 'internal_index', message: expect.stringContaining('cannot be deleted') as string } },
      ])
    }
    expect(await member.delete(`${indexesPath}/Email_1`)).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    })
  })

  test('removes a failed one from the list', async () => {
    const member = await indexingMember(portal)
    await buildIndex(member, [['City', 1]], { unique: true })
    expect(await member.delete(`${indexesPath}/City_1`)).toMatchObject({ status: 202 })
    expect(await settledIndex(member, 'cIndex_City_1')).toBeUndefined()
  })
})

describe('the list', () => {
  test('includes the indexes of the portal itself, before and after the first import', async () => {
    const member = await portal.member(await portal.account())
    const own = async () => (await member.get(`${indexesPath}/details`)).json<IndexDetails[]>()
    expect((await own()).map(({ name, state, isInternal }) => [name, state, isInternal])).toEqual(
      Object.keys(ownIndexes).map((name) => [name, 'ready', true]),
    )
    const settings = { generatePURL: true, purlColumns: ['Name'], dedupColumns: ['Name'], latitudeColumn: 'Latitude' }
    await importFile(portal, member, 'Name,Latitude,Longitude\nAda,1,2\n', {
      ...settings,
      longitudeColumn: 'Longitude',
    })
    for (const index of await own()) expect(index).toMatchObject({ state: 'ready', creator: null, createdAt: null })
    expect((await own()).every(({ sizeBytes }) => (sizeBytes ?? 0) > 0)).toBe(true)
  })

  test('counts how often an index is read', async () => {
    const member = await indexingMember(portal)
    await buildIndex(member, [['Age', 1]])
    const { pool } = portal.parts.database
    const client = await pool.connect()
    // Citus passes the setting on to the account's server. Statistics are written when the connection ends.
    await client.query(`SET citus.propagate_set_commands = 'local'`)
    await client.query('BEGIN')
    await client.query('SET LOCAL enable_seqscan = off')
    await client.query(`SELECT * FROM account_${member.account}.contacts WHERE c3 = 1`)
    await client.query('COMMIT')
    client.release(true)
    await expect.poll(async () => (await customIndexes(member))[0]?.uses, { timeout: 10_000 }).toBe(1)
  })
})

describe('the estimate', () => {
  test('is close to the actual size of the index', async () => {
    const account = await portal.account()
    const member = await portal.member(account)
    await addContacts(portal.parts.database, account, indexedTypes, [])
    const { pool } = portal.parts.database
    await pool.query(
      `INSERT INTO account_${account}.contacts (id, import_id, c1, c2, c3)
       SELECT i, 1, 'person' || i || '@example.com', 'City ' || i % 50, i FROM generate_series(1, 50000) AS i`,
    )
    for (const [field, type] of [
      ['Email', 'text'],
      ['City', 'few values'],
      ['Age', 'numbers'],
    ] as const) {
      const estimate = (await member.get(`${indexesPath}/estimate?field=${field}`)).json<Record<string, number>>()
      expect(estimate).toMatchObject({ rows: 50_000, buildSeconds: expect.any(Number) as number })
      const built = await buildIndex(member, [[field, 1]])
      const ratio = (estimate['sizeBytes'] ?? 0) / (built?.sizeBytes ?? 0)
      expect([type, ratio > 0.6 && ratio < 1.6 ? 'near' : ratio]).toEqual([type, 'near'])
    }
    const two = (await member.get(`${indexesPath}/estimate?field=City&field2=Age`)).json<Record<string, number>>()
    expect(two['sizeBytes']).toBeGreaterThan(1_000_000)
  })

  test('is refused for an unknown or missing field', async () => {
    const member = await indexingMember(portal)
    expect((await member.get(`${indexesPath}/estimate?field=Town`)).body).toMatchObject({
      error: { details: [{ field: 'fieldName1', message: 'Value is invalid! There is no field "Town".' }] },
    })
    expect(await member.get(`${indexesPath}/estimate`)).toMatchObject({ status: 400 })
  })
})

describe('permissions', () => {
  test('reading, creating and deleting each require their right', async () => {
    const member = await indexingMember(portal)
    const reader = await portal.member(member.account, 'contact-service::indexes::get', 'contact-service::offers::get')
    for (const list of [indexesPath, `${indexesPath}/details`, `${indexesPath}/estimate?field=Age`]) {
      expect(await reader.get(list)).toMatchObject({ status: 200 })
    }
    expect(await createIndex(reader, [['Age', 1]])).toMatchObject({ status: 403 })
    expect(await reader.delete(`${indexesPath}/Age_1`)).toMatchObject({ status: 403 })
    const maker = await portal.member(member.account, 'contact-service::indexes::post')
    expect(await createIndex(maker, [['Age', 1]])).toMatchObject({ status: 202 })
    expect(await maker.get(indexesPath)).toMatchObject({ status: 403 })
  })

  test('other accounts see no index, and can delete only their own', async () => {
    const member = await indexingMember(portal)
    const stranger = await indexingMember(portal)
    await buildIndex(member, [['Age', 1]])
    expect((await stranger.get(indexesPath)).body).toEqual(ownIndexes)
    expect(await customIndexes(stranger)).toEqual([])
    expect(await stranger.delete(`${indexesPath}/Age_1`)).toMatchObject({ status: 404 })
    expect(await customIndexes(member)).toHaveLength(1)
  })

  test('creating and deleting are in the audit log', async () => {
    const member = await indexingMember(portal)
    await buildIndex(member, [['Age', 1]], { unique: false })
    await member.delete(`${indexesPath}/Age_1`)
    const { rows } = await portal.parts.database.pool.query(
      `SELECT actor, action, subject, details FROM portico.audit_log
       WHERE account_id = $1 AND action LIKE 'index %' ORDER BY id`,
      [member.account],
    )
    const entry = { actor: member.email, subject: 'cIndex_Age_1', details: { key: [['Age', 1]], unique: false } }
    expect(rows).toEqual([
      { ...entry, action: 'index created' },
      { ...entry, action: 'index deleted' },
    ])
  })
})
