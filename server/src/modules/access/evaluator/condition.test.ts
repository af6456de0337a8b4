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

describe('the option', () => {
  test('param is a zero-based position in the path', () => {
    expect(holds('param::0::eq::42')).toBe(true)
    expect(holds('param::1::ew::.CSV')).toBe(true)
    expect(holds('param::1::eq::42')).toBe(false)
    expect(holds('param::id::eq::42')).toBe(false)
    expect(holds('param::0::eq::x', { params: ['x', 'y'] })).toBe(true)
  })

  test('query is a parameter by name; every occurrence is judged', () => {
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

  test('numbers, booleans and objects are compared as JSON text', () => {
    expect(holds('body::size::eq::25')).toBe(true)
    expect(holds('body::isOn::eq::FALSE')).toBe(true)
    expect(holds('body::filter::ct::"city":"paris"')).toBe(true)
    expect(holds('body::filter::nct::paris')).toBe(false)
  })

  test('a body that is not an object has no values', () => {
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
  ])('meets %s when every element does; one that does not is named', (rule, fitting) => {
    const condition = `body::columns::${rule}`
    expect(judged(condition, [fitting, fitting])).toEqual({ isMet: true, failed: null })
    expect(judged(condition, [fitting, 'Salary'])).toEqual({ isMet: false, failed: 'Salary' })
    expect(judged(condition, ['Salary'])).toEqual({ isMet: false, failed: 'Salary' })
    expect(judged(condition, [fitting, null])).toEqual({ isMet: false, failed: null })
    expect(judged(condition, [])).toEqual({ isMet: false, failed: null })
  })

  test.each(['neq::Salary', 'nct::ala', 'nsw::sal', 'new::ry', 'nin::Salary,Bonus'])(
    'meets %s when no element is refused; a refused one is named',
    (rule) => {
      const condition = `body::columns::${rule}`
      expect(judged(condition, ['City', null, ['Email']])).toEqual({ isMet: true, failed: null })
      expect(judged(condition, ['City', ['salary']])).toEqual({ isMet: false, failed: 'salary' })
    },
  )

  test('must have the value in every element', () => {
    const of = (ages: unknown[]) => holds('body::ages.from::eq::18', { body: { ages } })
    expect(of([{ from: 18 }, { from: '18' }])).toBe(true)
    expect(of([{ from: 18 }, {}])).toBe(false)
    expect(of([{ from: 18 }, 7])).toBe(false)
  })
})

test('names within a body ignore case, as field names do', () => {
  const body = { filter: [{ $match: { salary: 1 } }] }
  expect(holds('body::filter.$match.Salary::neq::1', { body })).toBe(false)
  expect(holds('body::filter.$match.Salary::eq::1', { body })).toBe(true)
  const both = { filter: [{ $match: { Salary: 1, SALARY: 2 } }] }
  expect(holds('body::filter.$match.Salary::eq::1', { body: both })).toBe(false)
})

test('a consumer is judged whether it is sent in the query or in the body', () => {
  for (const place of ['query', 'body']) {
    const judged = (parts: Partial<RequestParts>) =>
      holds(`${place}::consumerCode::neq::BI`, { query: {}, body: {}, ...parts })
    expect(judged({ query: { consumerCode: 'BI' } })).toBe(false)
    expect(judged({ body: { consumerCode: 'BI' } })).toBe(false)
    expect(judged({ body: { consumerCode: 'EXPORT' } })).toBe(true)
  }
})

describe('a number', () => {
  test.each(['42', '042', '42.0', ' 42', '4.2e1', '0x2a'])('written as %j is equal', (text) => {
    const params = { id: text }
    expect(holds('param::0::eq::42', { params })).toBe(true)
    expect(holds('param::0::neq::42', { params })).toBe(false)
    expect(holds('param::0::nin::1,42', { params })).toBe(false)
  })

  test('does not equal other text', () => {
    expect(holds('param::0::eq::0', { params: { id: '' } })).toBe(false)
    expect(holds('param::0::eq::Infinity', { params: { id: 'infinit' } })).toBe(false)
    expect(holds('param::0::eq::42', { params: { id: '42a' } })).toBe(false)
  })
})

test('a value may contain the separator ::', () => {
  expect(holds('query::action::eq::bi::reports::get', { query: { action: 'BI::reports::get' } })).toBe(true)
})

test.each(['', 'body', 'body::name', 'body::name::eq', 'body::name::eq::', 'body::::eq::x', 'header::a::neq::b'])(
  'an invalid condition is never met: %j',
  (condition) => expect(holds(condition)).toBe(false),
)

describe('a regular expression', () => {
  test('with nested quantifiers is judged within a second', () => {
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

  test('is not met when matching all values together would take too long', () => {
    const columns = (count: number) => ({ body: { columns: Array.from({ length: count }, () => 'First Name') } })
    expect(holds('body::columns::regex::^first name$', columns(500))).toBe(true)
    expect(holds('body::columns::regex::^first name$', columns(5000))).toBe(false)
    const name = 'ab'.repeat(400)
    expect(holds('body::name::regex::(a|b)*a(a|b){9}$', { body: { name } })).toBe(true)
    expect(holds('body::name::regex::(a|b)*a(a|b){100}$', { body: { name } })).toBe(false)
  })

  test.each(['(', '(?=spring)', '(?<=spring) leads', '^(.)p\\1', '\\u0073pring', '(s{0,999}){99}'])(
    'that is invalid or unsupported is never met: %s',
    (pattern) => expect(holds(`body::name::regex::${pattern}`)).toBe(false),
  )
})

test('a value nested too deeply meets no condition', () => {
  const body = JSON.parse(`{"name":${'['.repeat(200_000)}${']'.repeat(200_000)}}`) as unknown
  expect(holds('body::name::eq::x', { body })).toBe(false)
  expect(holds('body::name::neq::x', { body })).toBe(false)
})
