import { expect, test } from 'vitest'
import { anImport } from '#test/imports.ts'
import { progressShare, progressText, recordsFigure, workSample } from './import-progress.ts'

const running = (part: Parameters<typeof anImport>[0]) =>
  anImport({ status: 'processing', processedRecords: 0, totalRecords: null, fileSize: 8_000_000, ...part })

test('progress is shown in bytes while the file is examined, then in records', () => {
  const examining = running({ phase: 'examining', phaseProgress: 0.25 })
  expect(workSample(examining)).toMatchObject({ step: 'examining', done: 2_000_000 })
  expect(progressText(examining, 1_500_000)).toBe('Examining file · 25% · 1.5 MB/s')
  const staging = running({ phase: 'staging', phaseProgress: 0.5, totalRecords: 1000 })
  expect(workSample(staging)).toMatchObject({ step: 'staging', done: 500 })
  expect(progressText(staging, 250)).toBe('Reading rows · 50% · 250 records/s')
  const loading = running({ phase: 'loading', phaseProgress: 0.3, processedRecords: 300, totalRecords: 1000 })
  expect(workSample(loading)).toMatchObject({ step: 'loading', done: 300 })
  expect(progressText(loading, null)).toBe('Loading · 30%')
  expect(recordsFigure(loading)).toBe('300 of 1,000')
})

test('shows what the import is waiting for', () => {
  expect(progressText(running({}), null)).toBe('Starting')
  expect(progressText(running({ status: 'recovery' }), null)).toBe('Waiting to retry')
})

test('shows no percentage for work inside the database', () => {
  expect(progressShare(running({ phase: 'indexing', phaseProgress: 0.5 }))).toBeNull()
  expect(progressShare(running({ phase: 'matching', phaseProgress: 0 }))).toBeNull()
  expect(progressShare(running({ phase: 'loading', phaseProgress: 0.5 }))).toBe(0.5)
})

test('an import that has ended shows only its records', () => {
  expect(recordsFigure(anImport({ processedRecords: 1990, totalRecords: 2000 }))).toBe('1,990')
  expect(recordsFigure(anImport({ status: 'rejected', processedRecords: 0, totalRecords: null }))).toBe('0')
})
