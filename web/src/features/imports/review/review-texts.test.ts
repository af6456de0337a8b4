import { expect, test } from 'vitest'
import { anOutcome, aReview } from '#test/import-reviews.ts'
import { keysText, outcomeText, reviewProgress, shownOf } from './review-texts.ts'

test('the outcome text leaves out what does not occur', () => {
  const counts = { createdRecords: 900, updatedRecords: 299, unchangedRecords: 1 }
  expect(outcomeText(anOutcome(counts))).toBe(
    'Of 1,200 rows, 900 create a contact, 299 change a contact, and 1 leaves its contact as it is.',
  )
  expect(outcomeText(anOutcome({ createdRecords: 1 }))).toBe('Of 1 row, 1 creates a contact.')
})

test('the outcome text includes rows and cells set aside, and empty rows', () => {
  const counts = { unchangedRecords: 8, setAsideRecords: 2, setAsideCells: 3, emptyRecords: 1 }
  expect(outcomeText(anOutcome(counts))).toBe(
    'Of 10 rows, 8 leave their contact as it is and 2 are set aside. 3 cells that do not fit their fields are left out. 1 empty row is skipped.',
  )
  expect(outcomeText(anOutcome({ updatedRecords: 1, setAsideCells: 1 }))).toBe(
    'Of 1 row, 1 changes a contact. 1 cell that does not fit its field is left out.',
  )
})

test('the outcome text has only the rows if their contacts are not counted for the user', () => {
  const hidden = { createdRecords: null, updatedRecords: null, unchangedRecords: null }
  expect(outcomeText(anOutcome({ ...hidden, totalRecords: 12, setAsideCells: 1 }))).toBe(
    'The file has 12 rows. 1 cell that does not fit its field is left out.',
  )
  expect(outcomeText(anOutcome({ ...hidden, totalRecords: 12, setAsideRecords: 2 }))).toBe(
    'Of 14 rows, 2 are set aside.',
  )
})

test('the text about keys names the fields, and is left out without anything to say', () => {
  const keys = { fields: ['Email', 'Phone'], blank: 0, repeated: 0, frequent: [] }
  expect(keysText(keys)).toBeNull()
  expect(keysText({ ...keys, blank: 2, repeated: 1 })).toBe(
    '2 rows have no value in Email or Phone, and each creates a contact. 1 row has the key of an earlier row, and changes its contact.',
  )
})

test('examples show the total if they are only the first', () => {
  expect(shownOf(10, 1900)).toBe('The first 10 of 1,900.')
  expect(shownOf(3, 3)).toBeNull()
})

test('the loading phase of a review is shown as comparing with contacts', () => {
  const processing = { status: 'processing', phase: 'loading', phaseProgress: 0 } as const
  expect(reviewProgress(aReview(processing))).toEqual({ share: null, text: 'Comparing with contacts' })
  expect(reviewProgress(aReview({ ...processing, phase: 'examining', phaseProgress: 0.5 }))).toEqual({
    share: 0.5,
    text: 'Examining file · 50%',
  })
})
