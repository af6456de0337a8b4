import type { Export } from '@portico/contract/exports'

/** An export for tests: completed, with what matters to the test. */
export const anExport = (part: Partial<Export> = {}): Export => ({
  _id: '1',
  accountId: 1,
  name: 'Lapsed donors',
  creationDate: '2026-01-31T10:00:00.000Z',
  creator: 'mara.klein@example.com',
  status: 'completed',
  processedRecords: 48_213,
  totalRecords: 48_213,
  startDate: '2026-01-31T10:00:00.000Z',
  lastActivityDate: '2026-01-31T10:00:20.000Z',
  delimiter: 'csv',
  databaseName: 'account_1',
  recoveryCount: 0,
  recoveryError: null,
  exportFields: ['First', 'Email'],
  aggregateQuery: null,
  fileSize: 1_200_000,
  ...part,
})
