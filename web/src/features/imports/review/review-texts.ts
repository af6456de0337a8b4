import type { ImportReview, ReviewedKeys, ReviewOutcome } from '@portico/contract/import-review'
import { formatCount, formatNumber } from '#lib/formats.ts'
import { progressShare, progressText } from '../import-progress.ts'

const inWords = new Intl.ListFormat('en-US')

/**
 * 'Of 1,200 rows, 900 create a contact, 299 change one, and 1 leaves its contact as it is.', cells and empty rows. Counts
 * that the user may not know are left out.
 */
export function outcomeText(outcome: ReviewOutcome): string {
  const parts = [
    countText(outcome.createdRecords, 'creates a contact', 'create a contact'),
    countText(outcome.updatedRecords, 'changes a contact', 'change a contact'),
    countText(outcome.unchangedRecords, 'leaves its contact as it is', 'leave their contact as it is'),
    countText(outcome.setAsideRecords, 'is set aside', 'are set aside'),
  ].filter((part) => part !== null)
  const { totalRecords, setAsideRecords, setAsideCells: cells } = outcome
  const rows = formatCount(totalRecords + setAsideRecords, 'row')
  return [
    parts.length > 0 ? `Of ${rows}, ${inWords.format(parts)}.` : hasHiddenCounts(outcome) && `The file has ${rows}.`,
    cells > 0 &&
      `${formatCount(cells, 'cell')} that ${cells === 1 ? 'does' : 'do'} not fit ${cells === 1 ? 'its field is' : 'their fields are'} left out.`,
    outcome.emptyRecords > 0 && `${countText(outcome.emptyRecords, 'empty row is', 'empty rows are')} skipped.`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** The server counts contacts only for people who could search all of them by all fields of the file. */
export const hasHiddenCounts = ({ createdRecords }: ReviewOutcome): boolean => createdRecords === null

const inChoice = new Intl.ListFormat('en-US', { type: 'disjunction' })

/** '2 rows have no value in Email, and each creates a contact.', and rows that repeat a key; null if there are none. */
export function keysText({ fields, blank, repeated }: ReviewedKeys): string | null {
  const names = inChoice.format(fields)
  const parts = [
    countText(
      blank,
      `row has no value in ${names}, and creates a contact.`,
      `rows have no value in ${names}, and each creates a contact.`,
    ),
    countText(
      repeated,
      'row has the key of an earlier row, and changes its contact.',
      'rows have the key of an earlier row, and change its contact.',
    ),
  ].filter((part) => part !== null)
  return parts.length > 0 ? parts.join(' ') : null
}

const countText = (count: number | null, singular: string, plural: string): string | null =>
  count === null || count === 0 ? null : `${formatNumber(count)} ${count === 1 ? singular : plural}`

/** The sentence below the heading: the outcome, or that there is none yet. Empty if another element says so. */
export function reviewSummary({ status, outcome }: ImportReview, hasFailed: boolean): string {
  if (hasFailed || status === 'rejected') return ''
  return outcome ? outcomeText(outcome) : 'The whole file is read. Nothing is imported yet.'
}

/** As for an import; `share` is null while the total is unknown. A review loads nothing. */
export const reviewProgress = (review: ImportReview): { share: number | null; text: string } =>
  review.phase === 'loading'
    ? { share: null, text: 'Comparing with contacts' }
    : { share: progressShare(review), text: progressText(review, null) }

/** 'The first 10 of 900.'; null if all are shown. */
export const shownOf = (shown: number, all: number): string | null =>
  shown < all ? `The first ${formatNumber(shown)} of ${formatNumber(all)}.` : null
