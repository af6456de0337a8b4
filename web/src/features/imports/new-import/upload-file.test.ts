import { expect, test } from 'vitest'
import { addUploadSample, uploadFigures, type UploadSample } from './upload-file.ts'

const mb = 1_000_000
const samples = (...all: [seconds: number, sentMb: number][]) =>
  all.reduce<readonly UploadSample[]>(
    (before, [seconds, sent]) => addUploadSample(before, { atMs: seconds * 1000, sentBytes: sent * mb }),
    [],
  )

test('reports no speed before there are samples', () => {
  expect(uploadFigures([], mb)).toEqual({ share: 0, bytesPerSecond: null, remainingMs: null })
  expect(uploadFigures(samples([0, 0], [0.2, 1]), 10 * mb)).toEqual({
    share: 0.1,
    bytesPerSecond: null,
    remainingMs: null,
  })
})

test('reports share, speed and remaining time', () => {
  expect(uploadFigures(samples([0, 0], [2, 4]), 10 * mb)).toEqual({
    share: 0.4,
    bytesPerSecond: 2 * mb,
    remainingMs: 3000,
  })
})

test('uses only the last 5 seconds', () => {
  const figures = uploadFigures(samples([0, 0], [1, 100], [10, 101], [12, 103]), 200 * mb)
  expect(figures.bytesPerSecond).toBe(mb)
})

test('never exceeds 100%, even with the overhead of the protocol', () => {
  expect(uploadFigures(samples([0, 0], [1, 11]), 10 * mb)).toMatchObject({ share: 1, remainingMs: 0 })
})
