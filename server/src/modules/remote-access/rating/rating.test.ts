import type { ColumnRating } from '@portico/contract/remote-access'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath } from '#test/resources/remote-accesses.ts'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  const account = await portal.account()
  const types = {
    Email: 'string',
    Zip: 'string',
    Token: 'string',
    Name: 'string',
    Age: 'number',
    Born: 'day',
    Empty: 'string',
  } as const
  const contacts = Array.from({ length: 40 }, (_each, at) => ({
    Email: `person${at}@example.com`,
    Zip: String(8000 + at),
    Token: `${(at + 17).toString(36)}9f4k${at}z7q1x8w2m6b3`,
    // Every other name is used twice.
    Name: `Name${'abcdefghijklmnopqrst'[at % 20]} Surname${at < 30 ? 'a' : 'b'}`,
    Age: 20 + at,
    Born: `19${50 + at}-04-25`,
  }))
  const purls = (at: number) => ({ purl: { base: `personofname${'abcdefghijklmnopqrst'[at % 20]}`, number: at + 1 } })
  await addContacts(portal.parts.database, account, types, contacts, purls)
  member = await portal.member(account)
})
afterAll(() => portal.close())

async function rate(column: string, column2?: string): Promise<ColumnRating> {
  const query = new URLSearchParams({ column, ...(column2 !== undefined && { column2 }) })
  const answer = await member.get(`${accessPath}/rating?${query.toString()}`)
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<ColumnRating>()
}

describe('authentication columns', () => {
  test('that are the id alone leave every contact open', async () => {
    expect(await rate('_id')).toEqual({
      level: 'open',
      guessableShare: 1,
      uniqueShare: 1,
      text: 'IDs are counted up, so anyone can read every contact.',
    })
  })

  test.each([
    ['Zip', 'weak'],
    ['Age', 'weak'],
    ['Born', 'weak'],
    ['Email', 'fair'],
    ['purl', 'fair'],
    ['Name', 'fair'],
    ['Token', 'strong'],
  ])('%s is %s', async (column, level) => {
    const rating = await rate(column)
    expect(rating.level).toBe(level)
    expect(rating.text).toMatch(/^[A-Z].+\.$/)
  })

  test('are harder to guess as a pair', async () => {
    const [zip, pair] = [await rate('Zip'), await rate('Zip', 'Name')]
    expect(zip.guessableShare).toBe(1)
    expect(pair.guessableShare).toBeLessThan(0.01)
    expect((await rate('_id', 'Zip')).guessableShare).toBe(1)
  })

  test('report the share of contacts that are not served because they share their values', async () => {
    const rating = await rate('Name')
    expect(rating.uniqueShare).toBe(0.5)
    expect(rating.text).toContain('50% of contacts share their values with another one and are not served.')
  })

  test('report in full sentences when few contacts share their values', async () => {
    const account = await portal.account()
    const emails = Array.from({ length: 300 }, (_each, at) => ({ Email: `person${Math.max(1, at)}@example.com` }))
    await addContacts(portal.parts.database, account, { Email: 'string' }, emails)
    const answer = await (await portal.member(account)).get(`${accessPath}/rating?column=Email`)
    expect(answer.json<ColumnRating>().text).toBe(
      'Emails are rarely guessed, but anyone who knows one can read its contact. ' +
        'Less than 1% of contacts share their values with another one and are not served.',
    )
  })

  test('without values are rated without shares', async () => {
    expect(await rate('Empty')).toMatchObject({ level: 'fair', guessableShare: null, uniqueShare: null })
  })

  test.each([
    ['Phone', undefined, 'column'],
    ['Email', 'Phone', 'column2'],
    ['Email', 'email', 'column2'],
  ])('%s and %s are refused at %s', async (column, column2, field) => {
    const query = new URLSearchParams({ column, ...(column2 !== undefined && { column2 }) })
    const answer = await member.get(`${accessPath}/rating?${query.toString()}`)
    expect(answer).toMatchObject({ status: 400, body: { error: { details: [{ field }] } } })
  })

  test('are rated in their own account only', async () => {
    const stranger = await portal.member(await portal.account())
    expect(await stranger.get(`${accessPath}/rating?column=Email`)).toMatchObject({ status: 400 })
  })
})
