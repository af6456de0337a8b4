import { api } from '@portico/contract/api'
import type { Route } from '@portico/contract/route'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memberWith } from '#test/resources/access.ts'
import { addContacts } from '#test/resources/contacts.ts'
import { newCron } from '#test/resources/crons.ts'
import { anImport } from '#test/resources/imports.ts'
import { accessPath, newAccess } from '#test/resources/remote-accesses.ts'
import { type Answer, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let account: number

beforeAll(async () => {
  portal = await startPortal()
  account = await portal.account('Parsed')
  await addContacts(portal.parts.database, account, { City: 'string', Salary: 'number' }, [
    { City: 'Paris', Salary: 1 },
  ])
})
afterAll(() => portal.close())

const holding = (action: string, ...conditions: string[]) =>
  memberWith(portal, account, { actions: [action], conditions })
const refusedBy = ({ status, body }: Answer): unknown => ({
  status,
  code: (body as { error?: { code: string } }).error?.code,
})
const notAllowed = { status: 403, code: 'not_allowed' }
const encoded = (stages: string): string => encodeURIComponent(stages)

const offers = '/contact-service/v1/offers'
const rdls = '/contact-service/v1/rdls'
// JSON of the same stages, with one letter escaped.
const salary = '[{"$match":{"S\\u0061lary":1}}]'
const city = '[{"$match":{"City":"Paris"}}]'

describe('a condition judges the values that the server uses', () => {
  test('a name without surrounding spaces', async () => {
    const member = await holding('contact-service::*::*', 'body::name::neq::Secret list')
    const save = (name: string) => member.post(rdls, { name, aggregateQuery: city })
    for (const name of ['Secret list', ' Secret list', 'secret LIST \t']) {
      expect(refusedBy(await save(name))).toEqual(notAllowed)
    }
    expect((await save('A list')).status).toBe(201)
  })

  test('parsed JSON in queries, in routes that start early and in bodies', async () => {
    const reader = await holding('contact-service::offers::get', 'query::find::nct::Salary')
    // The second of each begins before the caller is authenticated.
    for (const _ of [1, 2]) {
      expect((await reader.get(`${offers}?find=${encoded(city)}`)).body).toHaveLength(1)
      expect(refusedBy(await reader.get(`${offers}?find=${encoded(salary)}`))).toEqual(notAllowed)
    }
    const saver = await holding('contact-service::*::*', 'body::aggregateQuery::nct::Salary')
    expect(refusedBy(await saver.post(rdls, { name: 'Rich', aggregateQuery: salary }))).toEqual(notAllowed)
    expect((await saver.post(rdls, { name: 'Paris', aggregateQuery: city })).status).toBe(201)
    const exporter = await holding('contact-service::exports::post', 'body::aggregateQuery::nct::Salary')
    const draft = { name: 'Export 1', delimiter: 'csv', exportFields: ['City'] }
    const post = (aggregateQuery: string) => exporter.post('/contact-service/v1/exports', { ...draft, aggregateQuery })
    expect(refusedBy(await post(salary))).toEqual(notAllowed)
    expect((await post(city)).status).toBe(201)
  })

  describe('fields that stages rename, as their original columns', () => {
    const renaming = '[{"$group":{"_id":{"City":"$Salary"}}}]'
    const computing = '[{"$group":{"_id":"$City","n":{"$sum":{"$add":["$Salary",1]}}}}]'
    const plain = '[{"$match":{"Salary":1}},{"$group":{"_id":{"City":"$City"}}}]'
    const columns = (column: string) => ({
      name: `Export ${crypto.randomUUID()}`,
      delimiter: 'csv',
      exportFields: [column],
    })

    test.each(['nct::salary', 'neq::Salary', 'nin::Salary,Note', 'in::City,n', 'eq::City', 'sw::C'])(
      'exportFields::%s',
      async (rest) => {
        const exporter = await holding('contact-service::exports::post', `body::exportFields::${rest}`)
        const post = (aggregateQuery: string) =>
          exporter.post('/contact-service/v1/exports', { ...columns('City'), aggregateQuery })
        for (const stages of [renaming, computing]) expect(refusedBy(await post(stages))).toEqual(notAllowed)
        expect((await post(plain)).status).toBe(201)
        const cron = await holding('scheduler::crons::post', `body::instruction.exportFields::${rest}`)
        const instruction = { ...columns('City'), aggregateQuery: renaming }
        const draft = { ...newCron({ instruction }), name: 'Renamed' }
        expect(refusedBy(await cron.post('/scheduler/v1/crons', draft))).toEqual(notAllowed)
      },
    )

    test.each(['nct::salary', 'in::City'])('select::%s', async (rest) => {
      const reader = await holding('contact-service::offers::get', `query::select::${rest}`)
      const get = (stages: string, more = '&select=City') => reader.get(`${offers}?aggregate=${encoded(stages)}${more}`)
      expect(refusedBy(await get(renaming))).toEqual(notAllowed)
      expect((await get(plain)).status).toBe(200)
      // Without columns, all are returned.
      expect((await get(plain, '')).status).toBe(rest.startsWith('in') ? 403 : 200)
    })
  })

  test('stages in either parameter', async () => {
    const member = await holding('contact-service::offers::get', 'query::find::nct::Salary')
    for (const stages of [salary, '[{"$group":{"_id":"$Salary"}}]']) {
      expect(refusedBy(await member.get(`${offers}?aggregate=${encoded(stages)}`))).toEqual(notAllowed)
    }
    expect((await member.get(`${offers}?aggregate=${encoded(city)}`)).status).toBe(200)
    const narrowed = await holding('contact-service::offers::get', 'query::find::ct::"City":"Paris"')
    expect((await narrowed.get(`${offers}?aggregate=${encoded(city)}`)).status).toBe(200)
    expect(refusedBy(await narrowed.get(`${offers}?aggregate=[]`))).toEqual(notAllowed)
    expect(refusedBy(await narrowed.get(`${offers}?find=${encoded(city)}&aggregate=[]`))).toEqual(notAllowed)
  })

  test('every element of a list', async () => {
    const member = await holding('contact-service::exports::post', 'body::exportFields::in::City,Email')
    const post = (...exportFields: string[]) =>
      member.post('/contact-service/v1/exports', { name: `Of ${exportFields.join()}`, delimiter: 'csv', exportFields })
    expect(refusedBy(await post('City', 'Salary'))).toEqual(notAllowed)
    expect((await post('City')).status).toBe(201)
  })

  test('names of columns and files as the import reads them', async () => {
    const draft = anImport({ filePath: 'caf\u00e9.csv' })
    const refused: [string, object][] = [
      ['body::dedupColumns::nin::Salary', { dedupColumns: [' Salary'] }],
      ['body::purlColumns::nin::Salary', { purlColumns: ['Salary\t'] }],
      ['body::columnMapping::nct::"Salary"', { columnMapping: { Pay: ' Salary ' } }],
      ['body::columnMapping.Pay::neq::Salary', { columnMapping: { ' PAY': 'Salary' } }],
      ['body::filePath::neq::caf\u00e9.csv', { filePath: 'cafe\u0301.csv' }],
    ]
    for (const [condition, more] of refused) {
      const member = await holding('contact-service::imports::post', condition)
      expect(refusedBy(await member.post('/contact-service/v1/imports', { ...draft, ...more }))).toEqual(notAllowed)
    }
    const member = await holding('contact-service::imports::post', 'body::dedupColumns::nin::Salary')
    const upload = { status: 400, code: 'invalid_input' }
    expect(refusedBy(await member.post('/contact-service/v1/imports', draft))).toEqual(upload)
  })

  test('instructions of crons as object or text, and consumers in query or body', async () => {
    const member = await holding('scheduler::crons::post', 'body::instruction.exportFields::nin::Salary')
    const instruction = { name: 'Nightly', delimiter: 'csv', exportFields: ['City', 'Salary'] }
    for (const sent of [instruction, JSON.stringify(instruction)]) {
      const cron = { consumerCode: 'EXPORT', instruction: sent }
      expect(refusedBy(await member.post('/scheduler/v1/crons', cron))).toEqual(notAllowed)
    }
    const exporter = await holding('scheduler::crons::post', 'body::consumerCode::neq::BI')
    expect(refusedBy(await exporter.post('/scheduler/v1/crons?consumerCode=bi', {}))).toEqual(notAllowed)
    expect(refusedBy(await exporter.post('/scheduler/v1/crons', { consumerCode: 'bi' }))).toEqual(notAllowed)
    expect((await exporter.post('/scheduler/v1/crons?consumerCode=export', {})).status).toBe(400)
  })

  test('every address and column in a text list, with any separators', async () => {
    const conditions = ['body::notificationEmails::ew::@corp.example']
    const exporting = { actions: ['contact-service::exports::post'] }
    const scheduler = await memberWith(portal, account, { actions: ['scheduler::crons::post'], conditions }, exporting)
    const cron = (notificationEmails: string) => scheduler.post('/scheduler/v1/crons', newCron({ notificationEmails }))
    for (const odd of [',evil@x.example,ok@corp.example', 'evil@x.example,ok@corp.example,', ' ,\t,evil@x.example'])
      expect(refusedBy(await cron(odd))).toEqual(notAllowed)
    const saved = await cron(',a@corp.example ,\tb@corp.example,')
    expect(saved).toMatchObject({ status: 201, body: { notificationEmails: 'a@corp.example, b@corp.example' } })
    const opener = await holding('contact-service::remoteAccess::post', 'body::publicColumns::neq::Salary')
    const open = (publicColumns: string, domainOrIp = 'shop.example') =>
      opener.post(accessPath, newAccess({ domainOrIp, filter: '{"City":"{{City}}"}', publicColumns }))
    for (const odd of ['"Salary"', ' salary ', 'City\tSalary', 'City\u00a0"Salary"', '"City" "SALARY"', 'City\nSalary'])
      expect(refusedBy(await open(odd))).toEqual(notAllowed)
    expect(await open('"City"\t')).toMatchObject({ status: 201, body: { publicColumns: 'City' } })
    const filter = await holding('contact-service::remoteAccess::post', 'body::filter::nct::Salary')
    const by = newAccess({ filter: '{ "S\\u0061lary" : "{{Salary}}" }', publicColumns: 'City' })
    expect(refusedBy(await filter.post(accessPath, by))).toEqual(notAllowed)
  })

  test('defaults of omitted values', async () => {
    const member = await holding('contact-service::offers::get', 'query::limit::neq::100')
    expect(refusedBy(await member.get(offers))).toEqual(notAllowed)
    expect((await member.get(`${offers}?limit=10`)).status).toBe(200)
  })
})

test('a condition on an ignored parameter is never met', async () => {
  const member = await holding('contact-service::offers::get', 'query::find::ct::"City":"Paris"')
  expect(refusedBy(await member.get(`${offers}/1?find=${encoded(city)}`))).toEqual(notAllowed)
  expect(refusedBy(await member.get(`/contact-service/v1/fields?find=${encoded(city)}`))).toEqual(notAllowed)
})

describe('in each call with an action', () => {
  // Texts that a schema changes: by trimming, as a number, as JSON.
  const samples = [' sample ', '007', ' 7 ', '[ {"$m\\u0061tch": {"City": "Paris"} } ]', '{ "C\\u0069ty":1 }']
  const calls = (Object.entries(api) as [string, Route][]).filter(([, { access }]) => access.includes('::'))
  const changed = calls.flatMap(([name, route]) =>
    Object.keys(route.query?.shape ?? {}).flatMap((key) =>
      samples.flatMap((sample) => {
        const parsed = route.query?.safeParse({ [key]: sample })
        const value = parsed?.success ? (parsed.data as Record<string, unknown>)[key] : undefined
        const canonical = typeof value === 'object' ? JSON.stringify(value) : String(value as unknown)
        return value === undefined || canonical === sample ? [] : [{ name, route, key, sample, canonical }]
      }),
    ),
  )

  test('some values are changed by parsing', () => {
    expect(new Set(changed.map(({ name }) => name)).size).toBeGreaterThan(8)
  })

  test.each(changed)('$name: $key=$sample is judged as $canonical', async ({ route, key, sample, canonical }) => {
    const member = await holding(route.access, `query::${key}::neq::${canonical}`)
    const path = route.path.replaceAll(/:\w+/g, '1')
    const ask = { GET: member.get, POST: member.post, PUT: member.put, DELETE: member.delete }[route.method]
    expect(refusedBy(await ask(`${path}?${key}=${encodeURIComponent(sample)}`))).toEqual(notAllowed)
  })
})

describe('a caller refused by a condition', () => {
  test('does not get the validation errors of the input', async () => {
    const member = await holding('contact-service::rdls::post', 'body::name::sw::Test')
    expect(refusedBy(await member.post(rdls, { name: 'Other', aggregateQuery: 7, more: true }))).toEqual(notAllowed)
    expect(refusedBy(await member.post(rdls, { name: 'Test 1', aggregateQuery: 7 }))).toEqual({
      status: 400,
      code: 'invalid_input',
    })
  })
})
