import { CellPreview } from '@portico/contract/dashboards'
import { NewExport } from '@portico/contract/exports'
import { OffersQuery } from '@portico/contract/list-query'
import { judgedValue } from '@portico/contract/read-text'
import { CronDraft } from '@portico/contract/scheduler/crons'
import { describe, expect, test } from 'vitest'
import type { RequestParts } from '#platform/http/context.ts'
import { judgeCondition } from './condition.ts'

// Texts that are lists, JSON or stages, as the contract reads them.

const request: RequestParts = { params: {}, query: {}, body: { name: 'Spring Leads' } }
const holds = (condition: string, parts: Partial<RequestParts> = {}) =>
  judgeCondition(condition, { ...request, ...parts }).isMet

/** The parts of a request of these calls, as the server reads them. */
const offersQuery = (query: object) => ({ query: judgedValue(OffersQuery, OffersQuery.parse(query)) })
const exportBody = (body: object) => {
  const draft = { name: 'Export', delimiter: 'csv', exportFields: ['City'], ...body }
  return { body: judgedValue(NewExport, NewExport.parse(draft)) }
}
const cronBody = (body: object) => ({ body: judgedValue(CronDraft, CronDraft.parse(body)) })

describe('JSON', () => {
  test('is compared by value, regardless of whitespace and escapes', () => {
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

  test('matches names with quotes and backslashes, escaped or not', () => {
    const body = exportBody({ aggregateQuery: JSON.stringify([{ $match: { 'the "true" \\ name': 1 } }]) })
    expect(holds('body::aggregateQuery::nct::"true" \\', body)).toBe(false)
    expect(holds('body::aggregateQuery::ct::{"the \\"true\\" \\\\ name":1}', body)).toBe(true)
  })

  test('that is invalid, or sent where none is expected, is judged as text', () => {
    expect(holds('body::name::eq::[draft] 1', { body: { name: '[draft] 1' } })).toBe(true)
    expect(holds('body::name::nct::draft', { body: { name: '{draft' } })).toBe(false)
    expect(holds('body::name.a::neq::1', { body: { name: '{"a":1}' } })).toBe(true)
    expect(holds('body::name::eq::{"a": 1}', { body: { name: '{"a": 1}' } })).toBe(true)
  })

  test.each(['find', 'aggregate'])('of stages, sent as find or aggregate, is judged by a condition on %s', (name) => {
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

describe('a condition that stages contain a match', () => {
  const contain = (stages: unknown[], wanted = '"City":"Paris"') =>
    holds(`query::find::ct::${wanted}`, offersQuery({ aggregate: JSON.stringify(stages) }))
  const city = { $match: { City: 'Paris' } }

  test.each([
    [[city]],
    [[{ $match: { Age: 1, City: 'Paris' } }, { $match: { Name: 'Ada' } }]],
    [[{ $match: { $and: [{ Age: 1 }, { $and: [{ City: 'Paris' }] }] } }]],
    [[{ $limit: 9 }, { $unwind: '$events' }, city, { $group: { _id: '$Name' } }]],
  ])('is met where every row must satisfy the match: %j', (stages) => expect(contain(stages)).toBe(true))

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
  ])('is not met where other rows can pass: %j', (stages) => expect(contain(stages)).toBe(false))

  test('is never met by text that is not a match, nor with a text operator', () => {
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
  ])('of emails meets %s when every email does', (rule, fitting, other) => {
    expect(holds(`body::notifications.to::${rule}`, to(fitting))).toBe(true)
    expect(holds(`body::notifications.to::${rule}`, to(other))).toBe(false)
  })

  test('of emails meets a negative operator when no email is refused; a refused one is named', () => {
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
  ])('of emails is judged by each recipient, regardless of blanks and empty entries: %j', (notificationEmails) => {
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

  test('is also judged as the whole text', () => {
    expect(holds('query::select::eq::City Email', columns('City Email'))).toBe(true)
    expect(holds('query::select::neq::City Email', columns('City Email'))).toBe(false)
    expect(holds('body::name::eq::a@b.ch, c@d.ch', { body: { name: 'a@b.ch, c@d.ch' } })).toBe(true)
    expect(holds('body::name::ct::a, b', { body: { name: 'a, b' } })).toBe(true)
  })
})

test('a dotted name reaches into JSON sent as text', () => {
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

test('a name after $ is judged as the compiler reads it, even when the name itself starts with $', () => {
  const given = (path: string) =>
    exportBody({ exportFields: ['x'], aggregateQuery: JSON.stringify([{ $group: { _id: { x: path } } }]) })
  for (const [name, path] of [
    ['$ Amount', '$$ Amount'],
    ['$Bonus', '$$Bonus'],
    ['$$Bonus', '$$$Bonus'],
    ['Salary', '$salary'],
    ['Events', '$events'],
  ] as const) {
    expect([path, holds(`body::exportFields::nin::${name}`, given(path))]).toEqual([path, false])
    expect([path, holds(`body::exportFields::in::x,${name}`, given(path))]).toEqual([path, true])
  }
  expect(holds('body::exportFields::in::x,Bonus', given('$$Bonus'))).toBe(false)
  const unwound = { exportFields: ['x'], aggregateQuery: '[{"$unwind":"$events"},{"$group":{"_id":{"x":"$City"}}}]' }
  expect(holds('body::exportFields::in::x,City', exportBody(unwound))).toBe(true)
})

test('the server and folder of a report are judged in normalized form', () => {
  for (const ftpFolder of ['public/../private', 'public/./../private', 'public//x/../../private'])
    expect([ftpFolder, holds('body::ftpFolder::sw::public/', cronBody({ ftpFolder }))]).toEqual([ftpFolder, false])
  expect(holds('body::ftpFolder::sw::public/', cronBody({ ftpFolder: './public//x' }))).toBe(true)
  for (const ftpHost of ['127.1', '0x7f000001', '2130706433', '0:0:0:0:0:ffff:7f00:1'])
    expect([ftpHost, holds('body::ftpHost::nin::127.0.0.1', cronBody({ ftpHost }))]).toEqual([ftpHost, false])
  expect(holds('body::ftpHost::nin::127.0.0.1', cronBody({ ftpHost: 'sftp.example.com' }))).toBe(true)
})
