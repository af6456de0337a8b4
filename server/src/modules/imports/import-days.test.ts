import type { Field } from '@portico/contract/contacts'
import type { NewImport } from '@portico/contract/imports'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

// Columns of dates without a time, in an account whose days begin an hour or two before UTC days (ADR 0065).

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())

const setTimeZone = (account: number, timeZone: string) =>
  portal.parts.database.pool.query('UPDATE portico.accounts SET time_zone = $1 WHERE id = $2', [timeZone, account])

beforeEach(async () => {
  const account = await portal.account()
  await setTimeZone(account, 'Europe/Zurich')
  member = await portal.member(account)
})

const load = (content: string, changes: Partial<NewImport> = {}) =>
  importFile(portal, member, content, { typeCasting: true, ...changes })
const born = async () => (await contactsOf(member)).map(({ Born }) => Born)
const typeOfBorn = async () =>
  (await member.get('/contact-service/v1/fields')).json<Field[]>().find(({ name }) => name === 'Born')?.type
const byEmail: Partial<NewImport> = { dedupColumns: ['Email'] }

describe('a column of days', () => {
  test('is stored and returned as days, regardless of the time zone', async () => {
    await load('Name,Born\nAda,2024-04-25\nBob,"4/5/2024"\nEve,\n')
    expect(await typeOfBorn()).toBe('day')
    expect(await born()).toEqual(['2024-04-25', '2024-04-05', undefined])
    await setTimeZone(member.account, 'America/Los_Angeles')
    expect(await born()).toEqual(['2024-04-25', '2024-04-05', undefined])
    expect(await member.get('/contact-service/v1/offers/8589934592')).toMatchObject({ body: { Born: '2024-04-25' } })
  })

  test('becomes moments when a later file has times and may widen it: days turn into midnights in the account', async () => {
    await load('Name,Born\nAda,2024-04-25\nBob,2024-12-25\n')
    await load('Name,Born\nEve,2024-04-25 09:30\nTom,4/26/2024\n', { onMismatch: 'text' })
    expect(await typeOfBorn()).toBe('date')
    expect(await born()).toEqual([
      '2024-04-24T22:00:00.000Z',
      '2024-12-24T23:00:00.000Z',
      '2024-04-25T07:30:00.000Z',
      '2024-04-25T22:00:00.000Z',
    ])
    // The field still holds moments.
    await load('Name,Born\nIda,2024-05-01\n')
    expect((await born()).at(-1)).toBe('2024-04-30T22:00:00.000Z')
  })

  test('becomes text with the same days when a later file has other values and may widen it', async () => {
    await load('Name,Born\nAda,4/25/2024\n')
    await load('Name,Born\nEve,unknown\n', { onMismatch: 'text' })
    expect(await typeOfBorn()).toBe('string')
    expect(await born()).toEqual(['2024-04-25', 'unknown'])
  })

  test('is updated by later rows of a contact, in the same file or another', async () => {
    await load('Email,Born\na@x,2024-04-25\na@x,2024-04-26\nb@x,2024-01-01\n', byEmail)
    expect(await born()).toEqual(['2024-04-26', '2024-01-01'])
    const again = await load('Email,Born\na@x,4/27/2024\nb@x,\n', byEmail)
    expect(again).toMatchObject({ updatedRecords: 1, unchangedRecords: 1 })
    expect(await born()).toEqual(['2024-04-27', '2024-01-01'])
  })
})

describe('a contact identified by a day', () => {
  const settings: Partial<NewImport> = {
    dedupColumns: ['Name', 'Born'],
    generatePURL: true,
    purlColumns: ['Name', 'Born'],
    dedupHashMatching: false,
    onMismatch: 'text',
  }

  test('is found in any format and time zone, and after the field becomes moments or text', async () => {
    await load('Name,Born\nAda,2024-04-25\nBob,2024-04-25\n', settings)
    const before = await contactsOf(member)
    expect(before.map(({ purl }) => purl)).toEqual(['ada20240425x', 'bob20240425x'])
    expect(await load('Name,Born\nADA,4/25/2024\n', settings)).toMatchObject({ createdRecords: 0 })
    await setTimeZone(member.account, 'Asia/Tokyo')
    expect(await load('Name,Born\nAda,2024-04-25\n', settings)).toMatchObject({ createdRecords: 0 })
    // A moment on the same day differs from that day.
    const timed = await load('Name,Born\nAda,2024-04-25\nAda,2024-04-25 00:00\nAda,2024-04-25 08:00\n', settings)
    expect(timed).toMatchObject({ createdRecords: 1 })
    expect(await typeOfBorn()).toBe('date')
    expect(await load('Name,Born\nbob,4/25/2024\n', settings)).toMatchObject({ createdRecords: 0 })
    expect((await contactsOf(member)).slice(0, 2).map(({ _id, purl }) => [_id, purl])).toEqual(
      before.map(({ _id, purl }) => [_id, purl]),
    )
    await load('Name,Born\nEve,unknown\n', settings)
    expect(await load('Name,Born\nBob,2024-04-25\n', settings)).toMatchObject({ createdRecords: 0 })
  })
})
