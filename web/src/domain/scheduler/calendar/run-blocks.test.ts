import type { Schedule } from '@portico/contract/scheduler/schedules'
import { expect, test } from 'vitest'
import { aRun } from '#test/schedules.ts'
import { runBlocks } from './run-blocks.ts'

const day = '2026-11-25'
const runsAt = (...times: string[]): Schedule[] =>
  times.map((time, index) => aRun({ _id: String(index), scheduleDate: new Date(`${day}T${time}:00`).toISOString() }))
const dayOf = (runs: Schedule[]) => [{ day, runs, total: runs.length }]

test('each run is a block of half an hour', () => {
  const blocks = runBlocks(dayOf(runsAt('09:00', '09:20', '10:15')), { type: 'week', hours: '0-24' })
  expect(blocks.map(({ start, end }) => [start.slice(11), end.slice(11)])).toEqual([
    ['09:00:00', '09:30:00'],
    ['09:20:00', '09:50:00'],
    ['10:15:00', '10:45:00'],
  ])
})

test('the last blocks of a day end with the day, and are as high as the others', () => {
  const [block] = runBlocks(dayOf(runsAt('23:55')), { type: 'day', hours: '0-24' })
  expect(block).toMatchObject({ start: `${day} 23:30:00`, end: `${day} 23:59:59` })
  const [evening] = runBlocks(dayOf(runsAt('17:55')), { type: 'day', hours: '12-6' })
  expect(evening).toMatchObject({ start: `${day} 17:30:00`, end: `${day} 18:00:00` })
})

test('where too many runs overlap, the last block holds the rest', () => {
  const runs = runsAt('09:00', '09:00', '09:05', '09:29', '09:30')
  const blocks = runBlocks(dayOf(runs), { type: 'week', hours: '0-24' })
  expect(blocks.map((block) => block.runs.length)).toEqual([1, 3, 1])
})

test('200 runs of a day make few blocks, and none is lost', () => {
  const times = Array.from({ length: 200 }, (_, index) => {
    const minute = index * 7
    return `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
  })
  for (const type of ['day', 'week'] as const) {
    const blocks = runBlocks(dayOf(runsAt(...times)), { type, hours: '0-24' })
    expect(blocks.flatMap(({ runs }) => runs)).toHaveLength(200)
    expect(blocks.length).toBeLessThanOrEqual(type === 'week' ? 24 : 144)
    expect(new Set(blocks.map(({ id }) => id)).size).toBe(blocks.length)
  }
  const sameTime = runBlocks(dayOf(runsAt(...times.map(() => '09:00'))), { type: 'day', hours: '0-24' })
  expect(sameTime.map(({ runs }) => runs.length)).toEqual([1, 1, 198])
})
