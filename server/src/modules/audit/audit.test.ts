import type { AuditEntry } from '@portico/contract/audit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordAudit } from '#audit'
import { addCredential, identityOf, linkOf } from '#test/resources/access.ts'
import { enter, made } from '#test/kit/administration.ts'
import { guardFormula } from '@portico/contract/exported-values'
import { parseCsv } from '#test/kit/csv.ts'
import { submit } from '#test/resources/imports.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

const path = '/identity/v1/audit'
const exportsPath = '/contact-service/v1/exports'

let portal: TestPortal
let admin: Member
let powerUser: Member
let stranger: Member
let nobody: Member
let adminThere: Client

beforeAll(async () => {
  portal = await startPortal()
  powerUser = await portal.member(await portal.account())
  admin = await portal.powerAdmin()
  stranger = await portal.member(await portal.account())
  nobody = await portal.member(powerUser.account, 'contact-service::imports::get')
  adminThere = await enter(portal, admin, stranger.account)
  await fill(powerUser.account, 'Ada@example.com', 5)
  await fill(stranger.account, 'eve@example.com', 3)
  await fill(null, 'root@example.com', 2)
})
afterAll(() => portal.close())

/** Lines of one actor, an hour apart, starting on 2026-01-01. */
async function fill(account: number | null, actor: string, count: number): Promise<void> {
  const { db, pool } = portal.parts.database
  for (let index = 0; index < count; index++) {
    const line = {
      action: index % 2 ? 'import cancelled' : 'import created',
      subject: `${actor} ${index}`,
      address: '10.0.0.1',
      via: { kind: 'credential' as const, name: 'Nightly (AK1)' },
    }
    await recordAudit(db, { account, actor, ...line, details: { name: '=1+1', index } })
    await pool.query(
      `UPDATE portico.audit_log SET at = timestamptz '2026-01-01 00:00Z' + $1 * interval '1 hour'
      WHERE subject = $2`,
      [index, line.subject],
    )
  }
}

const lines = async (client: Client, query: string): Promise<AuditEntry[]> => {
  const answer = await client.get(`${path}?${query}`)
  expect(answer).toMatchObject({ status: 200 })
  return answer.json<AuditEntry[]>()
}
const subjects = async (client: Client, query: string) => (await lines(client, query)).map(({ subject }) => subject)

describe('the audit log', () => {
  test('shows who did what, when, from where and by what means, newest first', async () => {
    const [latest, ...before] = await lines(powerUser, 'who=ada')
    expect(latest).toEqual({
      _id: expect.stringMatching(/^\d+$/),
      at: '2026-01-01T04:00:00.000Z',
      actor: 'Ada@example.com',
      action: 'import created',
      subject: 'Ada@example.com 4',
      details: { name: '=1+1', index: 4 },
      address: '10.0.0.1',
      via: 'credential',
      viaName: 'Nightly (AK1)',
      count: 1,
      account: powerUser.account,
    })
    expect(before.map(({ at }) => at)).toEqual(
      before
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    )
  })

  test('covers the current account only, for power users and power admins alike', async () => {
    expect(await subjects(stranger, 'who=ada')).toEqual([])
    expect(await subjects(adminThere, 'who=ada')).toEqual([])
    expect(await subjects(adminThere, 'who=eve')).toHaveLength(3)
    expect(await subjects(admin, 'who=root')).toEqual([])
  })

  test('covers all accounts when a power admin requests it', async () => {
    expect(await subjects(admin, 'who=eve&everywhere=true')).toHaveLength(3)
    expect(await subjects(admin, 'who=root&everywhere=true')).toHaveLength(2)
    expect(await subjects(admin, 'who=eve&everywhere=false')).toEqual([])
    const refused = { status: 403, body: { error: { message: 'Only power admins can read the log of all accounts.' } } }
    expect(await powerUser.get(`${path}?everywhere=true`)).toMatchObject(refused)
    expect(await powerUser.post(`${path}/exports`, { everywhere: 'true' })).toMatchObject(refused)
  })

  test('is for administrators only', async () => {
    for (const answer of [await nobody.get(path), await nobody.post(`${path}/exports`, {})]) {
      expect(answer).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
    }
    expect(await portal.anonymous.get(path)).toMatchObject({ status: 401 })
  })

  test('can be searched by part of the actor, action or subject, ignoring case', async () => {
    expect(await subjects(powerUser, 'who=DA@EX&what=Cancelled')).toEqual(['Ada@example.com 3', 'Ada@example.com 1'])
    expect(await subjects(powerUser, 'what=COM%202')).toEqual(['Ada@example.com 2'])
    // Taken literally, neither as a pattern nor as SQL.
    for (const what of ['%', '_', `'; DROP TABLE portico.audit_log; --`]) {
      expect(await subjects(powerUser, `what=${encodeURIComponent(what)}`)).toEqual([])
    }
  })

  test('can be limited to a period, excluding its end', async () => {
    const time = 'from=2026-01-01T01:00:00Z&to=2026-01-01T03:00:00Z'
    expect(await subjects(powerUser, time)).toEqual(['Ada@example.com 2', 'Ada@example.com 1'])
  })

  test('is paged and counted', async () => {
    expect(await subjects(powerUser, 'who=ada&limit=2&skip=1')).toEqual(['Ada@example.com 3', 'Ada@example.com 2'])
    expect((await powerUser.get(`${path}?who=ada&count=1`)).body).toEqual({ count: 5 })
    expect((await admin.get(`${path}?what=import&everywhere=true&count=1`)).body).toEqual({ count: 10 })
  })

  test.each([
    ['limit=1001'],
    ['limit=0'],
    ['skip=-1'],
    ['from=yesterday'],
    ['everywhere=perhaps'],
    ['colour=red'],
    ['via=magic'],
  ])('refuses %s', async (query) => {
    expect(await powerUser.get(`${path}?${query}`)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_input' } },
    })
  })
})

test('creating and cancelling imports and exports is recorded with their names', async () => {
  const member = await portal.member(await portal.account())
  const { _id: importId } = await submit(portal, member, 'Name\nAda\n', { name: 'Spring leads' })
  const wanted = { name: 'Spring list', delimiter: 'csv', exportFields: ['_id'] }
  const { _id: exportId } = made<{ _id: string }>(await member.post('/contact-service/v1/exports', wanted))
  await member.put(`/contact-service/v1/imports/${importId}`, { cancel: true })
  await member.put(`/contact-service/v1/exports/${exportId}`, { cancel: true })
  const told = (await lines(member, 'what=spring')).map(({ actor, action, subject }) => ({ actor, action, subject }))
  const by = { actor: member.email }
  expect(told).toEqual([
    { ...by, action: 'export cancelled', subject: 'Spring list' },
    { ...by, action: 'import cancelled', subject: 'Spring leads' },
    { ...by, action: 'export created', subject: 'Spring list' },
    { ...by, action: 'import created', subject: 'Spring leads' },
  ])
})

describe('an entry names its means', () => {
  const via = async (client: Client, what: string) => {
    const [entry] = await lines(client, `what=${encodeURIComponent(what)}`)
    return entry && { actor: entry.actor, via: entry.via, viaName: entry.viaName }
  }

  test('as session, API credential with name and access key, or impersonation link with creator', async () => {
    const member = await portal.member(await portal.account())
    const wanted = (name: string) => ({ name, delimiter: 'csv', exportFields: ['_id'] })
    const actor = member.email
    await submit(portal, member, 'Name\nAda\n', { name: 'Seed contacts' })
    made(await member.post(exportsPath, wanted('By session')))
    expect(await via(member, 'By session')).toEqual({ actor, via: 'session', viaName: null })

    const key = await addCredential(portal, await identityOf(portal, member))
    made(await portal.asking({ authorization: key.authorization }).post(exportsPath, wanted('By key')))
    expect(await via(member, 'By key')).toEqual({ actor, via: 'credential', viaName: `Key 1 (${key.accessKey})` })
    expect(await subjects(member, 'via=credential')).toEqual(['By key'])

    const link = portal.holder(await linkOf(member))
    made(await link.post(exportsPath, wanted('By link')))
    expect(await via(member, 'By link')).toEqual({ actor, via: 'impersonation', viaName: member.email })
  })
})

const formulas = ['=cmd', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1', '＝1', '＋1', ' =1']

describe('a CSV of the audit log', () => {
  async function file(client: Client, filter: object): Promise<string[][]> {
    const answer = await client.post(`${path}/exports`, filter)
    expect(answer).toMatchObject({ status: 200 })
    const { pathname, search } = new URL(answer.json<{ url: string }>().url, 'http://localhost')
    const download = await portal.app.inject({ method: 'GET', url: pathname + search })
    expect(download.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringContaining('audit-log.csv'),
    })
    return parseCsv(download.body, ',')
  }

  test('guards formulas as exports do, keeps each entry on one line, and escapes invisible characters', async () => {
    const texts = [
      ...formulas,
      'one\u2028two\u2029three',
      'back\\slash "quoted", comma',
      '\u202Etxt.exe',
      'a\u200Bb',
      'zwj \u{1F469}\u200D\u{1F680}',
    ]
    const owner = await portal.member(await portal.account())
    const entry = {
      account: owner.account,
      actor: 'ada',
      action: 'tried',
      address: null,
      via: { kind: 'portal' } as const,
    }
    const { db } = portal.parts.database
    for (const subject of texts) await recordAudit(db, { ...entry, subject, details: { subject } })
    const rows = (await file(owner, { what: 'tried' })).slice(1).toReversed()
    const shown = [
      ...formulas.map((text) => guardFormula(text)),
      'one\\u2028two\\u2029three',
      'back\\slash "quoted", comma',
      '\\u202Etxt.exe',
      'a\\u200Bb',
      'zwj \u{1F469}\u200D\u{1F680}',
    ]
    expect(rows.map((row) => row[4])).toEqual(shown)
    expect(rows.map((row) => (JSON.parse(row[5] ?? '') as { subject: string }).subject)).toEqual(texts)
  })

  test('contains the matching lines, with formulas guarded', async () => {
    const { db } = portal.parts.database
    const action = '=cmd'
    await recordAudit(db, {
      account: stranger.account,
      actor: '+evil',
      action,
      subject: '@x',
      address: null,
      via: { kind: 'portal', name: '=1' },
      details: {},
    })
    const rows = await file(stranger, { what: '' })
    expect(rows[0]).toEqual([
      'at',
      'account',
      'actor',
      'action',
      'subject',
      'details',
      'address',
      'via',
      'via_name',
      'count',
    ])
    const [, newest] = rows
    expect(newest?.slice(1)).toEqual([
      String(stranger.account),
      "'+evil",
      "'=cmd",
      "'@x",
      '{}',
      '',
      'portal',
      "'=1",
      '1',
    ])
    expect(newest?.[0]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(rows.map((row) => row[2])).not.toContain('Ada@example.com')
    const some = await file(powerUser, { who: 'ada', from: '2026-01-01T03:00:00Z' })
    expect(some.slice(1).map((row) => row[4])).toEqual(['Ada@example.com 4', 'Ada@example.com 3'])
    expect(JSON.parse(some[1]?.[5] ?? '')).toEqual({ name: '=1+1', index: 4 })
  })

  test('of all accounts includes entries that belong to no account', async () => {
    const actors = (await file(admin, { everywhere: 'true', what: 'import', to: '2026-01-02T00:00:00Z' }))
      .slice(1)
      .map((row) => row[2])
    expect(new Set(actors)).toEqual(new Set(['Ada@example.com', 'eve@example.com', 'root@example.com']))
  })

  test('is recorded in the audit log itself', async () => {
    await file(powerUser, { who: 'ada' })
    const [line] = await lines(powerUser, 'what=audit%20log%20exported')
    expect(line).toMatchObject({ actor: powerUser.email, subject: 'this account', details: { lines: 5, who: 'ada' } })
  })

  test('is refused for input that the list refuses', async () => {
    expect(await powerUser.post(`${path}/exports`, { limit: 5 })).toMatchObject({ status: 400 })
  })
})
