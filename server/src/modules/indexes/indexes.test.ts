import type { Field } from '@portico/contract/contacts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
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

describe('creating an index', () => {
  test('builds it in the background, in the sort order of filters, and lists it by name', async () => {
    const member = await indexingMember(portal)
    const answer = await createIndex(member, [['Email', -1]], { name: 'cIndex_Mail', background: true, unique: false })
    expect([answer.status, answer.body]).toEqual([202, { name: 'cIndex_Mail' }])
    expect((await member.get(indexesPath)).body).toEqual({ ...ownIndexes, cIndex_Mail: [['Email', -1]] })
    expect(await settledIndex(member, 'cIndex_Mail')).toEqual({
      name: 'cIndex_Mail',
      fieldName1: 'Email',
      sortOrder1: -1,
      fieldName2: null,
      sortOrder2: null,
      unique: false,
      isInternal: false,
      isKept: false,
      lastSearchedOn: null,
      state: 'ready',
      reason: null,
      progress: null,
      sizeBytes: expect.any(Number) as number,
      uses: 0,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      creator: member.email,
    })
    expect(await indexDefinitions(portal, member.account)).toEqual([
      'CREATE INDEX field_index_1 ON contacts USING btree (c1 COLLATE "en-x-icu" DESC NULLS LAST)',
      'CREATE INDEX prefix_index_c1 ON contacts USING btree (c1 text_pattern_ops)',
    ])
  })

  test('accepts two fields, a key object and names in any letter case, and generates a name', async () => {
    const member = await indexingMember(portal)
    expect(await buildIndex(member, { age: 1, CITY: -1 })).toMatchObject({
      name: 'cIndex_Age_1_City_-1',
      fieldName1: 'Age',
      sortOrder1: 1,
      fieldName2: 'City',
      sortOrder2: -1,
      state: 'ready',
    })
    expect(await indexDefinitions(portal, member.account)).toEqual([
      'CREATE INDEX field_index_1 ON contacts USING btree (c3, c2 COLLATE "en-x-icu" DESC NULLS LAST)',
    ])
    expect((await member.get(indexesPath)).body).toEqual({
      ...ownIndexes,
      'cIndex_Age_1_City_-1': [
        ['Age', 1],
        ['City', -1],
      ],
    })
  })

  test('adds the prefix to every name', async () => {
    const member = await indexingMember(portal)
    expect((await createIndex(member, [['Age', 1]], { name: 'by age' })).body).toEqual({ name: 'cIndex_by age' })
  })

  test('marks the first field of an index as indexed', async () => {
    const member = await indexingMember(portal)
    const indexed = async () =>
      (await member.get('/contact-service/v1/fields')).json<Field[]>().flatMap((one) => (one.isIndexed ? one.name : []))
    expect(await indexed()).toEqual([])
    await buildIndex(member, [
      ['Age', 1],
      ['City', 1],
    ])
    expect(await indexed()).toEqual(['Age'])
  })

  test('unique: refuses a second contact with the value, and accepts contacts without one', async () => {
    const member = await indexingMember(portal)
    expect(await buildIndex(member, [['Email', 1]], { unique: true })).toMatchObject({ unique: true, state: 'ready' })
    const again = addContacts(portal.parts.database, member.account, indexedTypes, [{ Email: 'a@x.example' }])
    await expect(again).rejects.toThrow('duplicate key')
    await addContacts(portal.parts.database, member.account, indexedTypes, [{}])
  })

  test.each([
    [[['City', 1]], '2 values of "City" occur more than once, in 4 contacts. For example, "Paris" occurs 2 times.'],
    [[['Age', -1]], '1 value of "Age" occurs more than once, in 3 contacts. For example, "2" occurs 3 times.'],
    [
      [
        ['Age', 1],
        ['City', 1],
      ],
      '1 value of "Age" and "City" occurs more than once, in 2 contacts. For example, "2", "Rome" occurs 2 times.',
    ],
  ])('unique over duplicates %j: reports how many and which, and leaves nothing behind', async (key, reason) => {
    const member = await indexingMember(portal)
    const failed = await buildIndex(member, key, { unique: true, name: 'mine' })
    expect(failed).toMatchObject({ state: 'failed', reason, progress: null, sizeBytes: 0 })
    expect(await indexDefinitions(portal, member.account)).toEqual([])
    expect((await member.get(indexesPath)).body).toEqual(ownIndexes)
    // A failed index blocks nothing: another of the same name replaces it.
    expect(await buildIndex(member, key, { name: 'mine' })).toMatchObject({ state: 'ready', unique: false })
    expect(await customIndexes(member)).toHaveLength(1)
  })

  test('fails with a message for values that are too long, and leaves nothing behind', async () => {
    const member = await indexingMember(portal)
    let long = ''
    while (long.length < 9000) long += crypto.randomUUID()
    await addContacts(portal.parts.database, member.account, indexedTypes, [{ City: long }])
    expect(await buildIndex(member, [['City', 1]])).toMatchObject({
      state: 'failed',
      reason: 'A value of "City" is too long for an index. The limit is about 2,700 bytes.',
    })
    expect(await indexDefinitions(portal, member.account)).toEqual([])
  })
})

describe('an index is refused', () => {
  test.each([
    [[], 'key', 'Value is required!'],
    [
      [
        ['Email', 1],
        ['City', 1],
        ['Age', 1],
      ],
      'key',
      'An index has one field or two.',
    ],
    [[['Email', 2]], 'key', expect.anything()],
    ['Email', 'key', expect.anything()],
    [[['', 1]], 'fieldName1', 'Value is required!'],
    [[['Town', 1]], 'fieldName1', 'Value is invalid! There is no field "Town".'],
    [[['purl', 1]], 'fieldName1', 'Value is invalid! "purl" is a built-in field and cannot be indexed.'],
    [
      [
        ['Age', 1],
        ['', 1],
      ],
      'fieldName2',
      'Value is required!',
    ],
    [
      [
        ['Age', 1],
        ['Town', 1],
      ],
      'fieldName2',
      'Value is invalid! There is no field "Town".',
    ],
    [
      [
        ['Age', 1],
        ['age', -1],
      ],
      'fieldName2',
      'Value is duplicate!',
    ],
  ])('for the key %j', async (key, field, message: unknown) => {
    const member = await indexingMember(portal)
    const answer = await createIndex(member, key)
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
    expect(answer.body).toMatchObject({
      error: { details: [{ field: expect.stringContaining(field) as string, message }] },
    })
    expect(await customIndexes(member)).toEqual([])
  })

  test('when the field already has an index of its own, in any order', async () => {
    const member = await indexingMember(portal)
    await createIndex(member, [['Age', 1]])
    for (const key of [
      [['Age', -1]],
      [
        ['Age', 1],
        ['City', 1],
      ],
    ]) {
      expect((await createIndex(member, key)).body).toMatchObject({
        error: { details: [{ field: 'fieldName1', message: 'Value is duplicate! "Age" already has an index.' }] },
      })
    }
    // As a second field it is free.
    expect(
      await createIndex(member, [
        ['City', 1],
        ['Age', 1],
      ]),
    ).toMatchObject({ status: 202 })
  })

  test('without a second field if the first has one with another, and for the same two fields', async () => {
    const member = await indexingMember(portal)
    await createIndex(member, [
      ['Age', 1],
      ['City', 1],
    ])
    expect((await createIndex(member, [['Age', 1]], { name: 'other' })).body).toMatchObject({
      error: { details: [{ field: 'fieldName2', message: expect.stringMatching(/^Value is required!/) as string }] },
    })
    expect(
      (
        await createIndex(member, [
          ['Age', -1],
          ['City', -1],
        ])
      ).body,
    ).toMatchObject({
      error: { details: [{ field: 'fieldName2', message: expect.stringMatching(/^Value is duplicate!/) as string }] },
    })
    expect(
      await createIndex(member, [
        ['Age', 1],
        ['Email', 1],
      ]),
    ).toMatchObject({ status: 202 })
  })

  test('when its name is taken or too long', async () => {
    const member = await indexingMember(portal)
    await createIndex(member, [['Age', 1]], { name: 'Mine' })
    for (const name of ['mINE', 'cIndex_mine']) {
      expect(await createIndex(member, [['City', 1]], { name })).toMatchObject({
        status: 409,
        body: { error: { code: 'name_taken', details: [{ field: 'name', message: 'Value is duplicate!' }] } },
      })
    }
    expect(await createIndex(member, [['City', 1]], { name: 'x'.repeat(421) })).toMatchObject({ status: 400 })
  })

  test('over fields stored in different tables', async () => {
    const account = await portal.account()
    const wide = Object.fromEntries(Array.from({ length: 302 }, (_, at) => [`Column ${at + 1}`, 'number' as const]))
    await addContacts(portal.parts.database, account, wide, [{ 'Column 1': 1, 'Column 301': 2 }])
    const member = await portal.member(account)
    expect(
      (
        await createIndex(member, [
          ['Column 1', 1],
          ['Column 301', 1],
        ])
      ).body,
    ).toMatchObject({
      error: { details: [{ field: 'fieldName2', message: expect.stringContaining('in different tables') as string }] },
    })
    expect(
      await buildIndex(member, [
        ['Column 302', 1],
        ['Column 301', 1],
      ]),
    ).toMatchObject({ state: 'ready' })
    expect(await indexDefinitions(portal, member.account)).toEqual([
      'CREATE INDEX field_index_1 ON contacts_2 USING btree (c302, c301)',
    ])
  })

  test('when another request has just created the same', async () => {
    const member = await indexingMember(portal)
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((name) => createIndex(member, [['Age', 1]], { name })),
    )
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([202, 400, 400])
  })
})
