import type { RemoteAccess } from '@portico/contract/remote-access'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { selectFromAccountServer } from '#platform/citus/citus.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath, addAccess, newAccess, untilServed } from '#test/resources/remote-accesses.ts'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
})
afterAll(() => portal.close())
beforeEach(async () => {
  const account = await portal.account()
  const types = { Email: 'string', 'First Name': 'string', City: 'string', 'say "hi"': 'string' } as const
  await addContacts(portal.parts.database, account, types, [{ Email: 'ada@example.com', City: 'London' }])
  member = await portal.member(account)
})

async function indexNames(account: number): Promise<string[]> {
  const { rows } = await portal.parts.database.pool.query<{ indexname: string }>(
    `SELECT indexname FROM pg_indexes WHERE schemaname = $1 AND indexname LIKE 'lookup%' ORDER BY indexname`,
    [`account_${account}`],
  )
  return rows.map(({ indexname }) => indexname)
}

describe('remote accesses', () => {
  test('are created with the spelling of the fields, listed, changed and deleted, each in the audit log', async () => {
    const created = await member.post(
      accessPath,
      newAccess({ filter: '{"email":"{{email}}"}', publicColumns: 'CITY "first name" "say ""hi""" purl' }),
    )
    expect(created).toMatchObject({ status: 201 })
    const access = created.json<RemoteAccess>()
    expect(access).toEqual({
      _id: expect.stringMatching(/^\d+$/) as string,
      version: 1,
      accountId: member.account,
      type: 'domain',
      domainOrIp: 'shop.example.com',
      includeSubDomains: false,
      filter: '{"Email":"{{Email}}"}',
      publicColumns: 'City "First Name" "say ""hi""" purl',
      creationDate: expect.any(String) as string,
      creator: member.email,
      isPaused: false,
      expiresAt: null,
      lastUsedAt: null,
      stopped: null,
      index: { state: 'building', reason: null },
    })
    await untilServed(member, access._id)
    const changed = await member.put(
      `${accessPath}/${access._id}`,
      newAccess({ type: 'ip', domainOrIp: ' 203.0.113.7 ', includeSubDomains: true, isPaused: true }),
    )
    expect(changed).toMatchObject({
      status: 200,
      body: { type: 'ip', domainOrIp: '203.0.113.7', includeSubDomains: false, isPaused: true },
    })
    expect((await member.get(`${accessPath}?count=1`)).body).toEqual({ count: 1 })
    expect(await member.delete(`${accessPath}/${access._id}`)).toMatchObject({ status: 204 })
    expect((await member.get(accessPath)).body).toEqual([])
    const { rows } = await portal.parts.database.pool.query(
      'SELECT action, subject FROM portico.audit_log WHERE account_id = $1 ORDER BY id',
      [member.account],
    )
    expect(rows.filter(({ action }) => String(action).startsWith('remote access'))).toEqual([
      { action: 'remote access created', subject: 'shop.example.com' },
      { action: 'remote access changed', subject: '203.0.113.7' },
      { action: 'remote access deleted', subject: '203.0.113.7' },
    ])
  })

  test('are filtered, sorted and paged', async () => {
    for (const domainOrIp of ['b.example.com', 'a.example.com', 'c.example.com']) {
      expect(await member.post(accessPath, newAccess({ domainOrIp }))).toMatchObject({ status: 201 })
    }
    const domains = async (query: string) =>
      (await member.get(`${accessPath}?${query}`)).json<RemoteAccess[]>().map(({ domainOrIp }) => domainOrIp[0])
    expect(await domains('')).toEqual(['c', 'a', 'b'])
    expect(await domains('sort={"domainOrIp":1}&limit=2&skip=1')).toEqual(['b', 'c'])
    expect(await domains(`find=${encodeURIComponent('[{"$match":{"domainOrIp":{"$regex":"^a"}}}]')}`)).toEqual(['a'])
    expect(await member.get(`${accessPath}?find=[{"$match":{"secret":1}}]`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_filter' } },
    })
  })

  test.each([
    [{ domainOrIp: '' }, 'domainOrIp', 'Value is required!'],
    [{ domainOrIp: 'https://shop.example.com' }, 'domainOrIp', 'Value is invalid!'],
    [{ type: 'ip' }, 'domainOrIp', 'Value is invalid!'],
    ...['com', 'Co.UK:8443', 'github.io'].map((domainOrIp): [Record<string, unknown>, string, string] => [
      { domainOrIp, includeSubDomains: true },
      'includeSubDomains',
      expect.stringContaining('Anyone can register a name below') as string,
    ]),
    [{ type: 'network' }, 'type', expect.any(String) as string],
    [{ filter: '' }, 'filter', 'Value is required!'],
    [{ filter: '{"Email":{"$ne":""}}' }, 'filter', expect.stringContaining('Value is invalid!') as string],
    [{ filter: '{"Phone":"{{Phone}}"}' }, 'filter', 'Value is invalid! There is no column "Phone".'],
    [{ filter: '{"Email":"{{Email}}","email":"{{email}}"}' }, 'filter', 'Value is duplicate!'],
    [{ filter: '{"basePurl":"{{basePurl}}"}' }, 'filter', 'Value is invalid! There is no column "basePurl".'],
    [{ publicColumns: ' ' }, 'publicColumns', 'Value is required!'],
    [{ publicColumns: '"First Name' }, 'publicColumns', 'Value is invalid! Put names with spaces in double quotes.'],
    [{ publicColumns: 'Phone' }, 'publicColumns', 'Value is invalid! There is no column "Phone".'],
    [{ publicColumns: 'City basePurl' }, 'publicColumns', 'Value is not allowed! "basePurl" is never public.'],
    [{ publicColumns: 'PURLNUMBER' }, 'publicColumns', 'Value is not allowed! "PURLNUMBER" is never public.'],
    [{ publicColumns: '_id' }, 'publicColumns', 'Value is not allowed! "_id" is never public.'],
    [{ expiresAt: 'tomorrow' }, 'expiresAt', expect.any(String) as string],
    [{ owner: 'me' }, 'owner', expect.any(String) as string],
  ])('%j is refused at %s: %s', async (changes, field, message) => {
    const answer = await member.post(accessPath, newAccess(changes))
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input' } } })
    expect(answer.json<{ error: { details: unknown } }>().error.details).toContainEqual({ field, message })
    expect((await member.get(accessPath)).body).toEqual([])
  })

  test('are stored with a normalized host', async () => {
    const made = await member.post(accessPath, newAccess({ domainOrIp: ' Shop.EXAMPLE.com:8443' }))
    expect(made).toMatchObject({ status: 201, body: { domainOrIp: 'shop.example.com:8443' } })
    const { _id } = made.json<RemoteAccess>()
    expect(await member.put(`${accessPath}/${_id}`, newAccess({ domainOrIp: 'LOCALHOST' }))).toMatchObject({
      status: 200,
      body: { domainOrIp: 'localhost' },
    })
  })

  test('are limited to 200 per account', async () => {
    await portal.parts.database.pool.query(
      `INSERT INTO account_${member.account}.remote_accesses
        (type, domain_or_ip, include_sub_domains, authentication_columns, public_columns, creator, created_at, is_paused)
      SELECT 'domain', 'example.com', false, '{purl}', '{City}', 'x', now(), false FROM generate_series(1, 200)`,
    )
    expect(await member.post(accessPath, newAccess())).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'limit_reached',
          message: 'An account has at most 200 remote accesses. Delete one that is not needed.',
        },
      },
    })
  })

  test('of another account cannot be read, changed, tried or deleted', async () => {
    const access = await addAccess(member)
    const stranger = await portal.member(await portal.account())
    expect((await stranger.get(accessPath)).body).toEqual([])
    const path = `${accessPath}/${access._id}`
    for (const answer of [
      await stranger.put(path, newAccess({ filter: '{"purl":"{{purl}}"}', publicColumns: 'purl' })),
      await stranger.delete(path),
      await stranger.get(`${path}/usage`),
      await stranger.post(`${accessPath}/trial`, { id: access._id, origin: 'https://shop.example.com', query: {} }),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    }
    expect((await member.get(accessPath)).body).toEqual([access])
  })

  test('require the right of each call', async () => {
    const reader = await portal.member(member.account, 'contact-service::remoteAccess::get')
    expect(await reader.get(accessPath)).toMatchObject({ status: 200 })
    for (const answer of [
      await reader.post(accessPath, newAccess()),
      await reader.put(`${accessPath}/1`, newAccess()),
      await reader.delete(`${accessPath}/1`),
      await reader.post(`${accessPath}/trial`, { origin: 'https://a.b', query: {} }),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
    }
    const outsider = await portal.member(member.account, 'contact-service::offers::get')
    expect(await outsider.get(accessPath)).toMatchObject({ status: 403 })
  })
})

describe('the sample page', () => {
  const samplePage = async () => (await member.get(`${accessPath}/sample`)).body

  test('is the page of a contact, if an access allows the sample site by PURL', async () => {
    expect(await samplePage()).toEqual({ url: null })
    await addAccess(member, { domainOrIp: 'localhost', filter: '{"purl":"{{purl}}"}' })
    expect(await samplePage()).toEqual({ url: null })
    const purls = () => ({ purl: { base: 'ada', number: 1 } })
    await addContacts(portal.parts.database, member.account, { City: 'string' }, [{ City: 'Bern' }], purls)
    const { sampleSitePort } = portal.config
    expect(await samplePage()).toEqual({ url: `http://localhost:${sampleSitePort}/${member.account}/ada` })
  })

  test('is hidden from users who may not see contacts', async () => {
    const reader = await portal.member(member.account, 'contact-service::remoteAccess::get')
    expect(await reader.get(`${accessPath}/sample`)).toMatchObject({ status: 403 })
  })
})

describe('indexes of remote accesses', () => {
  test('are shared by accesses with the same columns, and dropped with the last', async () => {
    const one = await addAccess(member)
    const other = await addAccess(member, { domainOrIp: 'other.example.com' })
    const pair = await addAccess(member, { filter: '{"City":"{{City}}","Email":"{{Email}}"}' })
    await addAccess(member, { filter: '{"Email":"{{Email}}","City":"{{City}}"}' })
    await addAccess(member, { filter: '{"purl":"{{purl}}"}' })
    const both = await indexNames(member.account)
    expect(both).toHaveLength(2)
    await member.delete(`${accessPath}/${one._id}`)
    expect(await indexNames(member.account)).toEqual(both)
    await member.delete(`${accessPath}/${other._id}`)
    await expect.poll(() => indexNames(member.account), { timeout: 20_000 }).toHaveLength(1)
    expect((await member.get(accessPath)).json<RemoteAccess[]>().find(({ _id }) => _id === pair._id)?.index.state).toBe(
      'ready',
    )
  })

  test('are not listed, and do not prevent users from indexing the same field', async () => {
    await addAccess(member)
    expect(Object.keys((await member.get('/contact-service/v1/indexes')).body as object)).not.toContain('Email')
    const details = (await member.get('/contact-service/v1/indexes/details')).json<{ isInternal: boolean }[]>()
    expect(details.filter(({ isInternal }) => !isInternal)).toEqual([])
    expect(await member.post('/contact-service/v1/indexes', { key: [['Email', 1]] })).toMatchObject({ status: 202 })
  })

  test('are dropped and rebuilt when their field becomes text', async () => {
    const { database } = portal.parts
    await addContacts(database, member.account, { Age: 'number' }, [{ Age: 36 }])
    const access = await addAccess(member, { filter: '{"Age":"{{Age}}"}' })
    await addContacts(database, member.account, { Age: 'string' }, [{ Age: 'a secret' }])
    expect(await indexNames(member.account)).toEqual([])
    const [listed] = (await member.get(accessPath)).json<RemoteAccess[]>()
    expect(listed?.index.state).toBe('building')
    const page = portal.asking({ origin: 'https://shop.example.com' })
    const read = (age: string) => page.get(`/contact-service/v1/public/${member.account}/offers?Age=${age}`)
    expect(await read('36')).toMatchObject({ status: 403 })
    const { rebuildOutdatedIndexes } = await import('#indexes')
    await rebuildOutdatedIndexes({ db: database.db, jobs: portal.parts.jobs }, member.account)
    await untilServed(member, access._id)
    expect(await read('36')).toMatchObject({ status: 200 })
    expect(await read('A%20SECRET')).toMatchObject({ status: 200 })
  })

  test('are used by public calls', async () => {
    await addAccess(member)
    const page = portal.asking({ origin: 'https://shop.example.com' })
    for (let at = 0; at < 15; at++) {
      await page.get(`/contact-service/v1/public/${member.account}/offers?Email=ada%40example.com`)
    }
    const scans = async (): Promise<number | undefined> => {
      const rows = await selectFromAccountServer(
        portal.parts.database.db,
        member.account,
        ['contacts'],
        (tables) => sql<{ scans: number }>`
          SELECT s.idx_scan::int AS scans FROM ${tables} AS t JOIN pg_stat_user_indexes AS s ON s.relid = t.oid
          WHERE s.indexrelname LIKE 'lookup%'`,
      )
      return rows?.[0]?.scans
    }
    await expect.poll(scans, { timeout: 15_000 }).toBe(15)
  })

  test('find values of any length', async () => {
    const long = 'x'.repeat(20_000)
    await addContacts(portal.parts.database, member.account, { Email: 'string' }, [{ Email: long }])
    expect((await addAccess(member)).index).toEqual({ state: 'ready', reason: null })
  })
})
