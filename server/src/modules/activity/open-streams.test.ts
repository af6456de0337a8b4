import { expect, test } from 'vitest'
import { openStreams } from './open-streams.ts'

function opening(limits: { ofSession: number; ofPerson: number; ofNetwork?: number }) {
  const streams = openStreams({ ofNetwork: 10, ...limits })
  const ended: string[] = []
  const begin = (name: string, personId: string, sessionId: string, address = '192.0.2.1') =>
    streams.begin({ personId, sessionId }, address, () => void ended.push(name))
  return { begin, ended }
}

test('a stream beyond the limit of a session ends the oldest of that session', () => {
  const { begin, ended } = opening({ ofSession: 2, ofPerson: 10 })
  for (const name of ['a', 'b', 'c']) begin(name, 'ada', 'ada 1')
  begin('d', 'ada', 'ada 2')
  expect(ended).toEqual(['a'])
  begin('e', 'ada', 'ada 1')
  expect(ended).toEqual(['a', 'b'])
})

test('a stream beyond the limit of a person ends the oldest of that person, in any session', () => {
  const { begin, ended } = opening({ ofSession: 2, ofPerson: 3 })
  begin('bob', 'bob', 'bob 1')
  for (const session of ['1', '2', '3', '4']) begin(session, 'ada', `ada ${session}`)
  expect(ended).toEqual(['1'])
})

test('a stream beyond the limit of a network ends the oldest of that network, of any person', () => {
  const { begin, ended } = opening({ ofSession: 2, ofPerson: 2, ofNetwork: 2 })
  begin('a', 'ada', 'ada 1', '2001:db8::1')
  begin('b', 'bob', 'bob 1', '192.0.2.1')
  begin('c', 'cyd', 'cyd 1', '2001:db8::2')
  begin('d', 'dan', 'dan 1', '2001:db8::3')
  expect(ended).toEqual(['a'])
})

test('ended streams do not count', () => {
  const { begin, ended } = opening({ ofSession: 2, ofPerson: 2 })
  begin('a', 'ada', 'ada 1')
  begin('b', 'ada', 'ada 1')()
  begin('c', 'ada', 'ada 1')
  expect(ended).toEqual([])
})
