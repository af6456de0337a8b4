import type { Stages } from '@portico/contract/filter'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runExport } from '#exports'
import { compileAggregate, openContactSource, outputOf } from '#filters'
import { addContacts } from '#test/resources/contacts.ts'
import { pie } from '#test/resources/dashboards.ts'
import { exportDraft, readExport } from '#test/resources/exports.ts'
import { type Client, type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { restrictedMember } from '#test/resources/row-rules.ts'

// A number that is too large makes a query fail. Failures must reveal nothing about contacts outside the rule: a query
// computes only for the contacts that the rule lets through.

const paris = { City: 'Paris' }
const bought = { events: { $elemMatch: { event_code: 'bought' } } }
const rules: Record<string, Stages> = {
  'of one field': [{ $match: paris }],
  'of four alternatives': [{ $match: { $or: [paris, { City: 'Lyon' }, { City: 'Nice' }, { City: 'Lille' }] } }],
  'of alternatives in several fields': [{ $match: { $or: [paris, { Email: 'a@x.example' }, { Salary: { $lt: 5 } }] } }],
  'of events': [{ $match: bought }],
  'of a PURL': [{ $match: { basePurl: { $in: ['ada', 'bob'] } } }],
}

const tooLarge = 1e308
const large = { x: { $gt: 5 } }
/** Each fails for the contact whose secret it guesses. */
const guesses: Record<string, (secret: string) => Stages> = {
  PURLs: (secret) => [
    { $addFields: { x: { $multiply: ['$purlNumber', tooLarge, 10] } } },
    { $match: { basePurl: { $regex: `^${secret}` }, ...large } },
  ],
  events: (secret) => [
    { $unwind: '$events' },
    { $addFields: { x: { $multiply: [{ $year: '$events.event_date' }, tooLarge] } } },
    { $match: { 'events.event_code': { $regex: `^${secret}v` }, ...large } },
  ],
  contacts: (secret) => [
    { $addFields: { x: { $multiply: ['$Salary', tooLarge] } } },
    { $match: { Email: `${secret}@x.example`, Salary: { $gt: 1000 }, ...large } },
  ],
  'contacts in a second step': (secret) => [
    { $match: { Email: `${secret}@x.example` } },
    { $addFields: { x: { $multiply: ['$Salary', tooLarge] } } },
    { $group: { _id: '$City', most: { $max: '$x' } } },
  ],
  'contacts with PURLs and events': (secret) => [
    { $addFields: { x: { $multiply: ['$Salary', '$purlNumber', tooLarge] } } },
    {
      $match: {
        basePurl: { $regex: `^${secret}` },
        events: { $elemMatch: { event_code: `${secret}visit` } },
        ...large,
      },
    },
  ],
}

let portal: TestPortal
let owner: Member

beforeAll(async () => {
  portal = await startPortal()
  owner = await portal.member(await portal.account())
  const { database } = portal.parts
  const types = { Name: 'string', City: 'string', Email: 'string', Salary: 'number' } as const
  const people = [
    { Name: 'Ada', City: 'Paris', Email: 'a@x.example', Salary: 1 },
    { Name: 'Bob', City: 'Paris', Email: 'b@x.example', Salary: 2 },
    ...Array.from({ length: 300 }, (_, at) => ({
      Name: `Other ${at}`,
      City: 'Rome',
      Email: `o${at}@x.example`,
      Salary: 9,
    })),
    { Name: 'Secret', City: 'Rome', Email: 'secret@x.example', Salary: 5000 },
  ]
  const base = (at: number) => (at === 0 ? 'ada' : at === 1 ? 'bob' : at === 302 ? 'secret' : 'other')
  const ids = await addContacts(database, owner.account, types, people, (at) => ({
    purl: { base: base(at), number: at + 1 },
  }))
  for (const [at, code] of [
    [0, 'bought'],
    [1, 'bought'],
    [302, 'secretvisit'],
  ] as const) {
    await owner.post(`/contact-service/v1/offers/${ids[at]}/events`, {
      event_code: code,
      event_date: '2026-05-06T07:08:09Z',
    })
  }
  await database.pool.query(`ANALYZE account_${owner.account}.contacts, account_${owner.account}.contact_keys`)
}, 120_000)
afterAll(() => portal.close())

const asked = (stages: Stages) => encodeURIComponent(JSON.stringify(stages))
const offers = '/contact-service/v1/offers'

test('the queries fail for callers who see the contact', async () => {
  for (const stages of Object.values(guesses)) {
    expect(await owner.get(`${offers}?aggregate=${asked(stages('secret'))}`)).toMatchObject({ status: 400 })
    expect(await owner.get(`${offers}?aggregate=${asked(stages('wrong'))}`)).toMatchObject({ status: 200 })
  }
})

describe.each(Object.keys(rules))('with a rule %s', (name) => {
  const rule = rules[name] ?? []
  let member: Member
  beforeAll(async () => {
    member = await restrictedMember(portal, owner.account, rule)
  })

  test.each(Object.keys(guesses))('a right and a wrong guess about %s get the same reply', async (guess) => {
    const stages = guesses[guess] as (secret: string) => Stages
    const answers = async (client: Client, secret: string) => {
      const aggregate = asked(stages(secret))
      const chart = {
        ...pie('Guess'),
        filter: { standard: [...stages(secret), { $group: { _id: '$City', n: { $count: {} } } }] },
      }
      const rows = await client.get(`${offers}?aggregate=${aggregate}`)
      const count = await client.get(`${offers}?count=&aggregate=${aggregate}`)
      const cell = await client.post('/contact-service/v1/dashboards/previews', { chart })
      return { rows: [rows.status, rows.body], count: [count.status, count.body], cell: cell.status }
    }
    const right = await answers(member, 'secret')
    expect(right).toEqual(await answers(member, 'wrong'))
    expect(right).toMatchObject({ rows: [200, []], count: [200, { count: 0 }] })
  })

  test('the database computes the query only on rows that pass the rule', async () => {
    const { db } = portal.parts.database
    const source = await openContactSource(db, owner.account, { rows: rule })
    for (const stages of Object.values(guesses)) {
      const level = compileAggregate(stages('secret'), source)
      const query = outputOf(level, source).select({ limit: 25, skip: 0 })
      const { rows } = await sql<{ 'QUERY PLAN': { Plan: PlanNode }[] }>`
        EXPLAIN (VERBOSE, FORMAT JSON) ${query}`.execute(db)
      const plan = rows[0]?.['QUERY PLAN'][0]?.Plan
      const nodes = plan ? nodesOf(plan) : []
      const isAsked = (node: PlanNode) => /secret|e\+?308/.test(JSON.stringify({ ...node, Plans: [] }))
      expect(nodes.filter(isAsked).length).toBeGreaterThan(0)
      // Tables are read below the barriers, which contain nothing of the query.
      expect(nodes.filter((node) => 'Relation Name' in node && isAsked(node))).toEqual([])
      const bars = nodes.filter((node) => node['Node Type'] === 'Subquery Scan' && barred.includes(node.Alias ?? ''))
      expect(bars.length).toBeGreaterThan(0)
      expect(bars.flatMap((bar) => (bar.Plans ?? []).flatMap(nodesOf)).filter(isAsked)).toEqual([])
    }
  })
})

type PlanNode = { 'Node Type': string; Alias?: string; Plans?: PlanNode[] }
const barred = ['contacts', 'contact_keys', 'event', 'event_of']
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

test('an export ends the same way after a right guess and a wrong one', async () => {
  for (const rule of Object.values(rules)) {
    const member = await restrictedMember(portal, owner.account, rule)
    const ends = async (secret: string) => {
      const found = []
      for (const stages of [guesses['PURLs'], guesses['contacts']]) {
        const [, match] = stages?.(secret) ?? []
        const aggregateQuery = JSON.stringify([
          ...(stages?.(secret) ?? []),
          { $group: { _id: '$City', n: { $count: {} } } },
        ])
        expect(match).toBeDefined()
        const draft = exportDraft(['_id', 'n'], { aggregateQuery })
        const made = await member.post('/contact-service/v1/exports', draft)
        const { _id } = made.json<{ _id: string }>()
        expect(made.status).toBe(201)
        await runExport(portal.parts, member.account, _id, new AbortController().signal)
        const { status, totalRecords, recoveryError } = await readExport(member, _id)
        found.push({ status, totalRecords, recoveryError })
      }
      return found
    }
    const done = { status: 'completed', totalRecords: 0, recoveryError: null }
    expect(await ends('secret')).toEqual([done, done])
    expect(await ends('wrong')).toEqual([done, done])
  }
})
