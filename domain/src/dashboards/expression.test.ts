import { expect, test } from 'vitest'
import { ExpressionError, readExpression } from './expression.ts'

const row = new Map<string, string | number | boolean | null>([
  ['price', 12],
  ['cost', 5],
  ['none', null],
  ['zero', 0],
  ['text', '2.5'],
  ['name', 'Oslo'],
  ['__proto__', 7],
])
const evaluate = (text: string) => readExpression(text).evaluate((column) => row.get(column) ?? null)

test.each([
  ['{{Price}} - {{ cost }}', 7],
  ['1 + 2 * 3', 7],
  ['(1 + 2) × 3', 9],
  ['10 ÷ 4 − 1', 1.5],
  ['-7 % 3', -1],
  ['2 - -3', 5],
  ['{{price}} / {{zero}}', null],
  ['{{price}} % 0', null],
  ['{{price}} + {{none}}', null],
  ['{{text}} * 2', 5],
  ['{{name}} * 2', null],
  ['round(1.005, 2)', 1.01],
  ['round(-2.5)', -3],
  ['abs({{cost}} - {{price}})', 7],
  ['min(3, {{cost}}, 4) + max(1, 2)', 5],
  ['if({{price}} > 10, "high", "low")', 'high'],
  ['if({{price}} = 12, 1, 2)', 1],
  ['if({{name}} = "Oslo", 1, 0)', 1],
  ['if({{none}} > 1, 1, 0)', null],
  ['{{__proto__}}', 7],
  ['{{constructor}}', null],
  ['1e308 * 10', null],
])('%s evaluates to %s', (text, value) => expect(evaluate(text)).toBe(value))

test.each([
  ['{{a}} +', 'A value is missing at the end.', 7],
  ['{{a}} {{b}}', 'An operator is missing here.', 6],
  ['({{a}}', '")" is missing here.', 6],
  ['constructor(1)', 'There is no function "constructor". Put columns in {{ }}.', 0],
  ['{{a}} & 1', '"&" is not expected here.', 6],
  ['{{ }}', 'Name a column between {{ and }}.', 0],
  ['if(1, 2)', 'if takes a condition, a value when it holds, and a value when it does not.', 0],
  [`${'('.repeat(200)}1${')'.repeat(200)}`, 'Nest at most 100 levels.', 100],
  ['1'.repeat(10_000), 'Use at most 2000 characters.', 2000],
])('%s is refused with the position of the error', (text, message, at) => {
  expect(() => readExpression(text)).toThrow(new ExpressionError(message, at))
  expect(() => readExpression(text)).toThrow(expect.objectContaining({ at }))
})

test.each([
  ['round({{a}} / 3, 2)', true],
  ['(ROUND(round({{a}})))', true],
  ['round({{a}}) / 3', false],
  ['{{a}} / round(3)', false],
  ['abs(round({{a}}))', false],
  ['{{a}}', false],
])('%s sets its own number of decimals: %s', (text, isRounded) => {
  expect(readExpression(text).isRounded).toBe(isRounded)
})

test('the columns of an expression are listed', () => {
  expect(readExpression('{{ Sum of Price }} / {{count}} + {{COUNT}}').columns).toEqual(['sum of price', 'count'])
})

test('decimals are computed without floating-point noise', () => {
  const values: Record<string, number> = { a: 0.1, b: 0.2, c: 40.4 }
  const valueOf = (column: string): number | null => values[column] ?? null
  expect(readExpression('{{a}} + {{b}}').evaluate(valueOf)).toBe(0.3)
  expect(readExpression('{{c}} + {{c}} + {{c}}').evaluate(valueOf)).toBe(121.2)
  expect(readExpression('({{a}} + {{b}}) / {{a}}').evaluate(valueOf)).toBe(3)
  expect(readExpression('{{b}} * 3').evaluate(valueOf)).toBe(0.6)
  expect(readExpression('1 / 3').evaluate(valueOf)).toBe(1 / 3)
})
