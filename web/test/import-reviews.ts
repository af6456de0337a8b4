import type { ImportReview, ReviewedField, ReviewOutcome } from '@portico/contract/import-review'

/** An outcome for tests: without rows, except for the values given by the test. */
export const anOutcome = (part: Partial<ReviewOutcome> = {}): ReviewOutcome => ({
  totalRecords: (part.createdRecords ?? 0) + (part.updatedRecords ?? 0) + (part.unchangedRecords ?? 0),
  createdRecords: 0,
  updatedRecords: 0,
  unchangedRecords: 0,
  setAsideRecords: 0,
  setAsideCells: 0,
  emptyRecords: 0,
  fields: [],
  created: [],
  updated: [],
  setAside: [],
  ...part,
})

export const aReviewedField = (part: Partial<ReviewedField> = {}): ReviewedField => ({
  name: 'Email',
  type: 'string',
  isNew: false,
  filled: 0,
  changed: 0,
  misfits: 0,
  ...part,
})

/** A review for tests: just started. */
export const aReview = (part: Partial<ImportReview> = {}): ImportReview => ({
  _id: '1000000000',
  status: 'waiting',
  phase: null,
  phaseProgress: 0,
  recoveryError: null,
  outcome: null,
  ...part,
})
