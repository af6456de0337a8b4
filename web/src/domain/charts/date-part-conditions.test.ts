import type { Row } from '@portico/domain/pipeline/pipeline'
import { parsePipeline, writePipeline } from '@portico/domain/pipeline/pipeline-json'
import { expect, test } from 'vitest'
import { takeDateParts } from './date-part-conditions.ts'

/** As stages of the filter language. */
function taken(...stages: Row[]): { base: Row[]; parts: string[] } | null {
  const found = takeDateParts(parsePipeline(stages))
  return found && { ...found, base: writePipeline(found.base) }
}

const may = { Joined: { $month: 5 } }

test('conditions on any May or any Monday are shown as such', () => {
  expect(taken({ $match: may })).toEqual({ base: [], parts: ['Joined (month) is May'] })
  expect(taken({ $match: { $and: [{ City: 'Oslo' }, may, { Joined: { $dayOfWeek: 2 } }] } })).toEqual({
    base: [{ $match: { City: 'Oslo' } }],
    parts: ['Joined (month) is May', 'Joined (day of week) is Monday'],
  })
  expect(taken({ $match: { City: 'Oslo' } })).toBeNull()
})

test('conditions next to a list of conditions are kept', () => {
  expect(taken({ $match: { City: 'Oslo', $and: [may] } })).toEqual({
    base: [{ $match: { City: 'Oslo' } }],
    parts: ['Joined (month) is May'],
  })
})
