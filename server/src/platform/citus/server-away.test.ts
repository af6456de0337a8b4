import { expect, test } from 'vitest'
import { isServerAway } from './server-away.ts'

const error = (message: string, fields: object) => Object.assign(new Error(message), fields)

test.each([
  ['refuses connections', error('connection to the remote node a@b:1 failed', { severity: 'ERROR', code: '08006' })],
  ['stops during a statement', error('terminating connection', { severity: 'ERROR', code: '57P01' })],
  ['crashes during a statement', error('terminating connection', { severity: 'ERROR', code: '57P02' })],
  ['starts', error('the database system is starting up', { severity: 'ERROR', code: '57P03' })],
  [
    'is lost in the middle of a COPY',
    error('failed to complete COPY on 10.0.0.1:1', { severity: 'ERROR', code: '58030' }),
  ],
  [
    'is stopped in the middle of a COPY',
    error('terminating connection due to administrator command', { severity: 'ERROR', code: 'XX000' }),
  ],
  [
    'has started again since the connection was made',
    error('failure on connection marked as essential: 10.0.0.1:1', { severity: 'ERROR', code: 'XX000' }),
  ],
  ['was away in an attempt that the queue remembers', { severity: 'ERROR', code: '08006', message: 'connection' }],
])('a worker is away if it %s', (_what, failure) => {
  expect(isServerAway(failure)).toBe(true)
})

test.each([
  ['the database itself stops', error('terminating connection', { severity: 'FATAL', code: '57P01' })],
  ['the database itself cannot be reached', error('connect ECONNREFUSED', { code: 'ECONNREFUSED' })],
  ['a message breaks the protocol', error('bind message supplies 1 parameter', { severity: 'ERROR', code: '08P01' })],
  ['a file cannot be read', error('could not read file', { severity: 'ERROR', code: '58030' })],
  ['a statement is wrong', error('syntax error', { severity: 'ERROR', code: '42601' })],
  ['there is no error', null],
])('no worker is away when %s', (_what, failure) => {
  expect(isServerAway(failure)).toBe(false)
})
