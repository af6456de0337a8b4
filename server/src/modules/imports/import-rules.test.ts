import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { firstProblem } from '#test/kit/field-problems.ts'
import { anImport, contactsOf, importFile, submit, twoContacts, upload, withPurl } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/contact-service/v1/imports'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  member = await portal.member(await portal.account())
})

describe('rules fixed by the first import', () => {
  test.each([
    ['generatePURL', { ...withPurl, generatePURL: false }],
    ['dedupHashMatching', { ...withPurl, dedupHashMatching: false }],
    ['purlColumns', { ...withPurl, purlColumns: ['Email'] }],
    ['dedupColumns', { ...withPurl, dedupColumns: ['First'] }],
  ])('%s cannot be changed anymore', async (field, changes) => {
    await submit(portal, member, twoContacts, withPurl)
    const problem = firstProblem(await member.post(path, anImport(changes)))
    expect(problem?.field).toBe(field)
    expect(problem?.message).toMatch(/^Cannot be changed anymore/)
  })

  test('the scope can change from account to import, but not back', async () => {
    await submit(portal, member, twoContacts, withPurl)
    await submit(portal, member, twoContacts, { ...withPurl, purlGenerationScope: 'import' })
    const problem = firstProblem(await member.post(path, anImport(withPurl)))
    expect(problem).toEqual({ field: 'purlGenerationScope', message: 'Cannot be changed anymore' })
  })
})

describe('a rejected import fixes no rules', () => {
  test('a misspelled dedup column is refused at its field, and the next import may use any rules', async () => {
    await upload(portal, member, 'contacts.csv', twoContacts)
    const problem = firstProblem(await member.post(path, anImport({ ...withPurl, dedupColumns: ['Emial'] })))
    expect(problem).toEqual({
      field: 'dedupColumns',
      message: 'The dedup column "Emial" is not a column of the file.',
    })
    expect(await importFile(portal, member, twoContacts, withPurl)).toMatchObject({
      status: 'completed',
      createdRecords: 2,
    })
  })

  test('an import that an earlier release rejected for its columns no longer binds its account', async () => {
    const before = await importFile(portal, member, '', withPurl)
    expect(before).toMatchObject({ status: 'rejected', processedRecords: 0 })
    await portal.parts.database.pool.query(
      `UPDATE account_${member.account}.imports SET dedup_columns = '{Emial}', purl_scope = 'account'`,
    )
    expect(await importFile(portal, member, twoContacts, withPurl)).toMatchObject({
      status: 'completed',
      createdRecords: 2,
    })
    const problem = firstProblem(await member.post(path, anImport({ ...withPurl, dedupColumns: ['First'] })))
    expect(problem).toEqual({ field: 'dedupColumns', message: 'Cannot be changed anymore: Email' })
  })

  test('a rejected import with other settings does not release what an earlier one has fixed', async () => {
    await importFile(portal, member, twoContacts, withPurl)
    await importFile(portal, member, '', { ...withPurl, purlGenerationScope: 'import' })
    expect(firstProblem(await member.post(path, anImport({ ...withPurl, dedupColumns: ['First'] })))).toMatchObject({
      field: 'dedupColumns',
    })
    expect((await member.post(path, anImport(withPurl))).status).toBe(201)
  })

  test('only one of several simultaneous imports with different rules is accepted', async () => {
    await upload(portal, member, 'contacts.csv', twoContacts)
    const rules = [['Email'], ['First'], ['Last'], ['First', 'Last']]
    const replies = await Promise.all(
      rules.map((dedupColumns) => member.post(path, anImport({ ...withPurl, dedupColumns }))),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(3)
  })

  test.each([
    ['purlColumns', { ...withPurl, purlColumns: ['Firts'] }, 'The PURL column "Firts" is not a column of the file.'],
    [
      'longitudeColumn',
      { latitudeColumn: 'First', longitudeColumn: 'Lon' },
      'The longitude column "Lon" is not a column of the file.',
    ],
    [
      'dedupColumns',
      { ...withPurl, columnMapping: { Email: null } },
      'The dedup column "Email" is not a column of the file.',
    ],
  ])('a missing column in %s is refused at once', async (field, changes, message) => {
    await upload(portal, member, 'contacts.csv', twoContacts)
    expect(firstProblem(await member.post(path, anImport(changes)))).toEqual({ field, message })
  })
})

test('values containing the key separator keep contacts apart, and the same contacts are found again', async () => {
  const rules = { dedupHashMatching: true, dedupColumns: ['K1', 'K2'] }
  const rows = 'K1,K2,V\nx\u001fy,z,first\nx,y\u001fz,second\n x,\u001fy,third\nx\u001f,y,fourth\n'
  expect(await importFile(portal, member, rows, rules)).toMatchObject({ createdRecords: 4, updatedRecords: 0 })
  const again = rows.replaceAll(/(first|second|third|fourth)\n/g, '$1 again\n')
  expect(await importFile(portal, member, again, rules)).toMatchObject({ createdRecords: 0, updatedRecords: 4 })
  expect((await contactsOf(member)).map(({ V }) => String(V)).toSorted()).toEqual([
    'first again',
    'fourth again',
    'second again',
    'third again',
  ])
})
