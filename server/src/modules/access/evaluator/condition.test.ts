import { CellPreview } from '@portico/contract/dashboards'
import { NewExport } from '@portico/contract/exports'
import { OffersQuery } from '@portico/contract/list-query'
import { judgedValue } from '@portico/contract/read-text'
import { CronDraft } from '@portico/contract/scheduler/crons'
import { describe, expect, test } from 'vitest'
import type { RequestParts } from '#platform/http/context.ts'
import { judgeCondition } from './condition.ts'

const request: RequestParts = {
  params: { id: '42', file: 'Report.csv' },
  query: { limit: '10', tag: ['red', 'Blue'], '1': 'one' },
  body: {
    name: 'Spring Leads',
    size: 25,
    isOn: false,
    empty: null,
    columns: ['First Name', 'City'],
    none: [],
    filter: { city: 'Paris', ages: [{ from: 18 }, { from: 65 }] },
    'a.b': 'dotted',
    a: { c: 'nested' },
  },
}
const holds = (condition: string, parts: Partial<RequestParts> = {}) =>
  judgeCondition(condition, { ...request, ...parts }).isMet

describe('an operator', () => {
  test.each([
    ['eq', 'spring leads', true],
    ['eq', 'Spring', false],
    ['neq', 'SPRING LEADS', false],
    ['neq', 'Autumn', true],
    ['ct', 'ING LE', true],
    ['ct', 'autumn', false],
    ['nct', 'ing le', false],
    ['nct', 'autumn', true],
    ['sw', 'spring', true],
    ['sw', 'leads', false],
    ['nsw', 'Spring', false],
    ['nsw', 'Leads', true],
    ['ew', 'LEADS', true],
    ['ew', 'spring', false],
    ['new', 'leads', false],
    ['new', 'spring', true],
    ['in', 'autumn, Spring leads ,winter', true],
    ['in', 'spring,leads', false],
    ['nin', 'autumn,spring LEADS', false],
    ['nin', 'autumn', true],
    ['regex', '^spring\\s+l', true],
    ['regex', 'leads$', true],
    ['regex', '^leads', false],
  ])('%s %s', (operator, value, isMet) => {
    expect(holds(`body::name::${operator}::${value}`)).toBe(isMet)
  })

  test.each(['neq', 'nct', 'nsw', 'new', 'nin'])('%s is met by a missing value', (operator) => {
    for (const place of ['body::nothing', 'body::empty', 'body::none', 'query::nothing', 'param::7', 'body::name.x']) {
      expect(holds(`${place}::${operator}::x`)).toBe(true)
    }
  })

  test.each(['eq', 'ct', 'sw', 'ew', 'in', 'regex'])('%s is not met by a missing value', (operator) => {
    for (const place of ['body::nothing', 'body::empty', 'body::none', 'query::nothing', 'param::7', 'body::name.x']) {
      expect(holds(`${place}::${operator}::x`)).toBe(false)
    }
  })
})

describe('the place', () => {
  test('param is a position in the path, from 0', () => {
    expect(holds('param::0::eq::42')).toBe(true)
    expect(holds('param::1::ew::.CSV')).toBe(true)
    expect(holds('param::1::eq::42')).toBe(false)
    expect(holds('param::id::eq::42')).toBe(false)
    expect(holds('param::0::eq::x', { params: ['x', 'y'] })).toBe(true)
  })

  test('query is a parameter by name, as often as it comes', () => {
    expect(holds('query::limit::eq::10')).toBe(true)
    expect(holds('query::tag::eq::blue')).toBe(false)
    expect(holds('query::tag::in::blue,red')).toBe(true)
    expect(holds('query::tag::neq::blue')).toBe(false)
    expect(holds('query::tag::nin::green,blue')).toBe(false)
    expect(holds('query::1::eq::one')).toBe(true)
    expect(holds('query::toString::ct::function')).toBe(false)
    expect(holds('query::__proto__::ct::object')).toBe(false)
  })

  test('body is a value by its dotted path, in every element of a list', () => {
    expect(holds('body::filter.city::eq::paris')).toBe(true)
    expect(holds('body::filter.ages.from::eq::65')).toBe(false)
    expect(holds('body::filter.ages.from::in::18,65')).toBe(true)
    expect(holds('body::filter.ages.from::nin::1,65')).toBe(false)
    expect(holds('body::columns::eq::city')).toBe(false)
    expect(holds('body::columns::in::city,first name')).toBe(true)
    expect(holds('body::columns::neq::city')).toBe(false)
    expect(holds('body::a.b::eq::dotted')).toBe(true)
    expect(holds('body::a.c::eq::nested')).toBe(true)
    expect(holds('body::constructor.name::eq::Object')).toBe(false)
  })

  test('numbers, booleans and objects are compared as they are written', () => {
    expect(holds('body::size::eq::25')).toBe(true)
    expect(holds('body::isOn::eq::FALSE')).toBe(true)
    expect(holds('body::filter::ct::"city":"paris"')).toBe(true)
    expect(holds('body::filter::nct::paris')).toBe(false)
  })

  test('a body that is no object has no values', () => {
    for (const body of [undefined, null, 'name', 3]) expect(holds('body::name::ct::name', { body })).toBe(false)
  })
})

describe('a list', () => {
  const judged = (condition: string, columns: unknown) => judgeCondition(condition, { ...request, body: { columns } })

  test.each([
    ['eq::City', 'city'],
    ['ct::it', 'a city'],
    ['sw::ci', 'cities'],
    ['ew::ty', 'city'],
    ['in::City,Email', 'email'],
    ['regex::^ci', 'city'],
  ])('meets %s when every element does, and the one that does not is named', (rule, fitting) => {
    const condition = `body::columns::${rule}`
    expect(judged(condition, [fitting, fitting])).toEqual({ isMet: true, failed: null })
    expect(judged(condition, [fitting, 'Salary'])).toEqual({ isMet: false, failed: 'Salary' })
    expect(judged(condition, ['Salary'])).toEqual({ isMet: false, failed: 'Salary' })
    expect(judged(condition, [fitting, null])).toEqual({ isMet: false, failed: null })
    expect(judged(condition, [])).toEqual({ isMet: false, failed: null })
  })

  test.each(['neq::Salary', 'nct::ala', 'nsw::sal', 'new::ry', 'nin::Salary,Bonus'])(
    'meets %s when no element is refused, and the one that is is named',
    (rule) => {
      const condition = `body::columns::${rule}`
      expect(judged(condition, ['City', null, ['Email']])).toEqual({ isMet: true, failed: null })
      expect(judged(condition, ['City', ['salary']])).toEqual({ isMet: false, failed: 'salary' })
    },
  )

  test('has to have the value in each of its elements', () => {
    const of = (ages: unknown[]) => holds('body::ages.from::eq::18', { body: { ages } })
    expect(of([{ from: 18 }, { from: '18' }])).toBe(true)
    expect(of([{ from: 18 }, {}])).toBe(false)
    expect(of([{ from: 18 }, 7])).toBe(false)
  })
})

/** The parts of a request of these calls, as the server reads them. */
const offersQuery = (query: object) => ({ query: judgedValue(OffersQuery, OffersQuery.parse(query)) })
const exportBody = (body: object) => {
  const draft = { name: 'Export', delimiter: 'csv', exportFields: ['City'], ...body }
  return { body: judgedValue(NewExport, NewExport.parse(draft)) }
}
const cronBody = (body: object) => ({ body: judgedValue(CronDraft, CronDraft.parse(body)) })

describe('JSON', () => {
  test('is compared by what it means, however it is written', () => {
    const same = ['[{"$match":{"City":"Paris"}}]', ' [ {"$match" : {"\\u0043ity": "P\\u0061ris"} } ]\n']
    for (const stages of same) {
      const query = offersQuery({ find: stages })
      expect(holds('query::find::ct::"city":"paris"', query)).toBe(true)
      expect(holds('query::find::nct::Paris', query)).toBe(false)
      expect(holds('query::find::nct::"City" : "Paris" }', query)).toBe(false)
      expect(holds('query::find::eq::[{"$match": {"City": "Paris"}}]', query)).toBe(true)
      expect(holds('query::find::neq::[{"$match": {"City": "Paris"}}]', query)).toBe(false)
      const instruction = { name: 'Nightly', delimiter: 'csv', exportFields: ['City'], aggregateQuery: stages }
      for (const sent of [instruction, JSON.stringify(instruction)]) {
        expect(holds('body::instruction::nct::Paris', cronBody({ instruction: sent }))).toBe(false)
        expect(holds('body::instruction.aggregateQuery::nct::Paris', cronBody({ instruction: sent }))).toBe(false)
      }
    }
  })

  test('has names with quotes and backslashes where a condition names them', () => {
    const body = exportBody({ aggregateQuery: JSON.stringify([{ $match: { 'the "true" \\ name': 1 } }]) })
    expect(holds('body::aggregateQuery::nct::"true" \\', body)).toBe(false)
    expect(holds('body::aggregateQuery::ct::{"the \\"true\\" \\\\ name":1}', body)).toBe(true)
  })

  test('that is none is a text, as is JSON where none is expected', () => {
    expect(holds('body::name::eq::[draft] 1', { body: { name: '[draft] 1' } })).toBe(true)
    expect(holds('body::name::nct::draft', { body: { name: '{draft' } })).toBe(false)
    expect(holds('body::name.a::neq::1', { body: { name: '{"a":1}' } })).toBe(true)
    expect(holds('body::name::eq::{"a": 1}', { body: { name: '{"a": 1}' } })).toBe(true)
  })

  test.each(['find', 'aggregate'])('of stages is judged under both of its names by a condition on %s', (name) => {
    for (const given of ['find', 'aggregate']) {
      const query = offersQuery({ [given]: '[{"$match":{"Salary":1}}]' })
      expect(holds(`query::${name}::nct::salary`, query)).toBe(false)
      expect(holds(`query::${name}::ct::"salary":1`, query)).toBe(true)
    }
    const both = offersQuery({ find: '[{"$match":{"City":1}}]', aggregate: '[{"$match":{"Salary":1}}]' })
    expect(holds(`query::${name}::ct::"city":1`, both)).toBe(false)
    expect(holds(`query::${name}::nct::salary`, both)).toBe(false)
  })
})

describe('stages that have to contain something', () => {
  const contain = (stages: unknown[], wanted = '"City":"Paris"') =>
    holds(`query::find::ct::${wanted}`, offersQuery({ aggregate: JSON.stringify(stages) }))
  const city = { $match: { City: 'Paris' } }

  test.each([
    [[city]],
    [[{ $match: { Age: 1, City: 'Paris' } }, { $match: { Name: 'Ada' } }]],
    [[{ $match: { $and: [{ Age: 1 }, { $and: [{ City: 'Paris' }] }] } }]],
    [[{ $limit: 9 }, { $unwind: '$events' }, city, { $group: { _id: '$Name' } }]],
  ])('do so where every row has to meet it: %j', (stages) => expect(contain(stages)).toBe(true))

  test.each([
    [[]],
    [[{ $match: { $or: [{ City: 'Paris' }, { City: { $ne: 'Paris' } }] } }]],
    [[{ $match: { $nor: [{ City: 'Paris' }] } }]],
    [[{ $match: { City: { $ne: 'Paris' } } }]],
    [[{ $match: { City: { $not: { $eq: 'Paris' } } } }]],
    [[{ $match: { City: { $in: ['Paris', 'London'] } } }]],
    [[{ $match: { Note: { $ne: '"City":"Paris"' } } }]],
    [[{ $match: { Note: { $ne: '{"City":"Paris"}' } } }]],
    [[{ $addFields: { City: 'Paris' } }, city]],
    [[{ $group: { _id: '$Salary', City: { $min: 'Paris' } } }, city]],
    [[{ $match: { events: { $elemMatch: { City: 'Paris' } } } }]],
  ])('do not where rows come through that do not meet it: %j', (stages) => expect(contain(stages)).toBe(false))

  test('are never met by another text, nor by an operator that looks at texts', () => {
    for (const wanted of ['Paris', '"City"', 'City":"Paris', '{}', '[]']) expect(contain([city], wanted)).toBe(false)
    const query = offersQuery({ find: JSON.stringify([city]) })
    for (const rule of ['sw::[{"$match":{"City":"Paris"', 'ew::"Paris"}}]', 'regex::"City":"Paris"'])
      expect(holds(`query::find::${rule}`, query)).toBe(false)
    const chart = { type: 'Table', filter: { standard: [{ $match: { City: { $ne: 'Paris' } } }] } }
    const preview = { body: judgedValue(CellPreview, CellPreview.parse({ chart })) }
    for (const key of ['chart', 'chart.filter', 'chart.filter.standard', 'chart.filter.standard.$match.City'])
      expect(holds(`body::${key}::ct::Paris`, preview)).toBe(false)
    expect(holds('body::chart.filter.standard::nct::paris', preview)).toBe(false)
  })
})

describe('a text that lists several values', () => {
  const columns = (select: string) => offersQuery({ select })
  const to = (text: string) => {
    const email = { type: 'email', from: 'me@corp.example', to: text, subject: 'Done', htmlBody: 'Done' }
    return exportBody({ notifications: [email] })
  }

  test.each([
    ['ew::@corp.example', 'a@corp.example, b@corp.example', 'x@other.example, a@corp.example'],
    ['ct::corp', 'a@corp.example,b@corp.example', 'a@corp.example,x@other.example'],
    ['in::a@corp.example,b@corp.example', 'b@corp.example , A@corp.example', 'a@corp.example, x@other.example'],
    ['regex::corp\\.example$', 'a@corp.example, b@corp.example', 'x@other.example, a@corp.example'],
  ])('of emails meets %s when each of them does', (rule, fitting, other) => {
    expect(holds(`body::notifications.to::${rule}`, to(fitting))).toBe(true)
    expect(holds(`body::notifications.to::${rule}`, to(other))).toBe(false)
  })

  test('of emails meets a negative operator when none is refused, and the one that is is named', () => {
    for (const rule of ['neq::boss@corp.example', 'nin::boss@corp.example,x@corp.example', 'nsw::boss']) {
      const judged = (text: string) => judgeCondition(`body::notifications.to::${rule}`, { ...request, ...to(text) })
      expect(judged('a@corp.example, b@corp.example').isMet).toBe(true)
      expect(judged('a@corp.example,Boss@corp.example')).toEqual({ isMet: false, failed: 'Boss@corp.example' })
    }
  })

  test.each([
    ',evil@x.example,ok@corp.example',
    'evil@x.example, ,ok@corp.example',
    'evil@x.example\t,ok@corp.example,',
  ])('of emails is judged by each that is sent to, whatever stands between them: %j', (notificationEmails) => {
    const cron = cronBody({ notificationEmails })
    for (const rule of ['ew::@corp.example', 'in::ok@corp.example', 'neq::evil@x.example', 'nsw::evil', 'nct::x.exam'])
      expect(holds(`body::notificationEmails::${rule}`, cron)).toBe(false)
    expect(holds('body::notificationEmails::ct::example', cron)).toBe(true)
  })

  test('of fields, in `select`, is judged field by field', () => {
    expect(holds('query::select::in::City,First Name', columns('City "First Name"'))).toBe(true)
    expect(holds('query::select::in::City,First Name', columns('City Salary'))).toBe(false)
    for (const select of [
      'Salary',
      '"Salary"',
      ' City  salary ',
      'City "Salary"',
      'City\tSalary',
      'City\u00a0Salary',
    ]) {
      expect(holds('query::select::neq::Salary', columns(select))).toBe(false)
      expect(holds('query::select::nin::Bonus,Salary', columns(select))).toBe(false)
    }
  })

  test('is also the text that it is', () => {
    expect(holds('query::select::eq::City Email', columns('City Email'))).toBe(true)
    expect(holds('query::select::neq::City Email', columns('City Email'))).toBe(false)
    expect(holds('body::name::eq::a@b.ch, c@d.ch', { body: { name: 'a@b.ch, c@d.ch' } })).toBe(true)
    expect(holds('body::name::ct::a, b', { body: { name: 'a, b' } })).toBe(true)
  })
})

test('a dotted name leads into JSON that is sent as a text', () => {
  const whole = { name: 'Nightly', delimiter: 'csv', exportFields: ['City', 'Salary'] }
  const texts = [whole, JSON.stringify(whole), JSON.stringify(whole).replace('exportFields', 'exp\\u006frtFields')]
  for (const instruction of texts) {
    const body = cronBody({ instruction })
    expect(holds('body::instruction.exportFields::nin::Salary', body)).toBe(false)
    expect(holds('body::instruction.exportFields::in::City,Salary', body)).toBe(true)
    expect(holds('body::instruction.exportFields::in::City', body)).toBe(false)
  }
  expect(holds('body::name.length::eq::12')).toBe(false)
})

test('names within a body are the same in any letter case, as names of fields are', () => {
  const body = { filter: [{ $match: { salary: 1 } }] }
  expect(holds('body::filter.$match.Salary::neq::1', { body })).toBe(false)
  expect(holds('body::filter.$match.Salary::eq::1', { body })).toBe(true)
  const both = { filter: [{ $match: { Salary: 1, SALARY: 2 } }] }
  expect(holds('body::filter.$match.Salary::eq::1', { body: both })).toBe(false)
})

test('a consumer is judged where it is named, in the query or in the body', () => {
  for (const place of ['query', 'body']) {
    const judged = (parts: Partial<RequestParts>) =>
      holds(`${place}::consumerCode::neq::BI`, { query: {}, body: {}, ...parts })
    expect(judged({ query: { consumerCode: 'BI' } })).toBe(false)
    expect(judged({ body: { consumerCode: 'BI' } })).toBe(false)
    expect(judged({ body: { consumerCode: 'EXPORT' } })).toBe(true)
  }
})

describe('a number', () => {
  test.each(['42', '042', '42.0', ' 42', '4.2e1', '0x2a'])('may be written as %j, and is the same', (text) => {
    const params = { id: text }
    expect(holds('param::0::eq::42', { params })).toBe(true)
    expect(holds('param::0::neq::42', { params })).toBe(false)
    expect(holds('param::0::nin::1,42', { params })).toBe(false)
  })

  test('is no other text', () => {
    expect(holds('param::0::eq::0', { params: { id: '' } })).toBe(false)
    expect(holds('param::0::eq::Infinity', { params: { id: 'infinit' } })).toBe(false)
    expect(holds('param::0::eq::42', { params: { id: '42a' } })).toBe(false)
  })
})

test('a value may hold what parts conditions', () => {
  expect(holds('query::action::eq::bi::reports::get', { query: { action: 'BI::reports::get' } })).toBe(true)
})

test.each(['', 'body', 'body::name', 'body::name::eq', 'body::name::eq::', 'body::::eq::x', 'header::a::neq::b'])(
  'what is no condition is never met: %j',
  (condition) => expect(holds(condition)).toBe(false),
)

describe('a regular expression', () => {
  test('takes no longer for any value than its size tells', () => {
    const name = 'a'.repeat(999)
    const begin = performance.now()
    expect(holds('body::name::regex::^(a+)+$', { body: { name: `${name}!` } })).toBe(false)
    expect(performance.now() - begin).toBeLessThan(1000)
    expect(holds('body::name::regex::^(a+)+$', { body: { name } })).toBe(true)
  })

  test('is not met by a value of more than 1,000 characters', () => {
    expect(holds('body::name::regex::^x+$', { body: { name: 'x'.repeat(1000) } })).toBe(true)
    expect(holds('body::name::regex::^x+$', { body: { name: 'x'.repeat(1001) } })).toBe(false)
  })

  test('is not met where all values together would take too long', () => {
    const columns = (count: number) => ({ body: { columns: Array.from({ length: count }, () => 'First Name') } })
    expect(holds('body::columns::regex::^first name$', columns(500))).toBe(true)
    expect(holds('body::columns::regex::^first name$', columns(5000))).toBe(false)
    const name = 'ab'.repeat(400)
    expect(holds('body::name::regex::(a|b)*a(a|b){9}$', { body: { name } })).toBe(true)
    expect(holds('body::name::regex::(a|b)*a(a|b){100}$', { body: { name } })).toBe(false)
  })

  test.each(['(', '(?=spring)', '(?<=spring) leads', '^(.)p\\1', '\\u0073pring', '(s{0,999}){99}'])(
    'that cannot be used is never met: %s',
    (pattern) => expect(holds(`body::name::regex::${pattern}`)).toBe(false),
  )
})

test('what is nested too deeply to be looked into meets nothing', () => {
  const body = JSON.parse(`{"name":${'['.repeat(200_000)}${']'.repeat(200_000)}}`) as unknown
  expect(holds('body::name::eq::x', { body })).toBe(false)
  expect(holds('body::name::neq::x', { body })).toBe(false)
})
