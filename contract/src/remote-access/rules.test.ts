import { expect, test } from 'vitest'
import { domainOrIpProblem, isSensitiveColumn, readAuthentication, writeAuthentication } from './rules.ts'

const required = 'Value is required!'
const invalid = 'Value is invalid!'

test.each([
  'example.com',
  'shop.example.com:8443',
  'xn--mnchen-3ya.de',
  'localhost',
  'localhost:3000',
  '192.168.0.10',
  '10.0.0.1:80',
  ' Example.COM ',
])('the domain %j is valid', (text) => expect(domainOrIpProblem('domain', text)).toBeNull())

test.each([
  ['', required],
  ['   ', required],
  ['https://example.com', invalid],
  ['example.com/path', invalid],
  ['example.com:0', invalid],
  ['example.com:70000', invalid],
  ['-example.com', invalid],
  ['example..com', invalid],
  ['exa mple.com', invalid],
  ['münchen.de', invalid],
  ['*.example.com', invalid],
  ['192.168.0', invalid],
  ['192.168.0.256', invalid],
  ['[::1]', invalid],
])('the domain %j is refused: %s', (text, problem) => expect(domainOrIpProblem('domain', text)).toBe(problem))

test.each(['203.0.113.7', '::1', '0.0.0.0'])('the address %j is valid', (text) => {
  expect(domainOrIpProblem('ip', text)).toBeNull()
})

test.each([
  ['', required],
  ['::ffff:203.0.113.7', invalid],
  ['203.0.113.7:80', invalid],
  ['010.1.1.1', invalid],
  ['127.1', invalid],
  ['localhost', invalid],
])('the address %j is refused: %s', (text, problem) => expect(domainOrIpProblem('ip', text)).toBe(problem))

test.each([[['Email']], [['First Name', 'Zip']], [['_id']], [['a"b', 'é']]])(
  'columns %j survive writing and reading',
  (columns) => {
    expect(readAuthentication(writeAuthentication(columns))).toEqual(columns)
  },
)

test('the wire form matches the specification', () => {
  expect(writeAuthentication(['First Name', 'Zip'])).toBe('{"First Name":"{{First Name}}","Zip":"{{Zip}}"}')
})

test.each([
  'Email',
  '{}',
  '[]',
  'null',
  '{"Email":"ada@example.com"}',
  '{"Email":"{{City}}"}',
  '{"Email":{"$ne":""}}',
  '{"a":"{{a}}","b":"{{b}}","c":"{{c}}"}',
])('%s names no columns', (filter) => expect(readAuthentication(filter)).toBeNull())

test.each([
  ['Email', true],
  ['Mobile phone', true],
  ['Date of birth', true],
  ['Zip', true],
  ['First Name', false],
  ['Favourite colour', false],
])('the column %j is sensitive: %s', (name, isSensitive) => expect(isSensitiveColumn(name)).toBe(isSensitive))
