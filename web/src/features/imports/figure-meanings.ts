import type { ImportKind } from '@portico/contract/imports'

/** The figures of an import, each explained in one sentence. `Import` in the contract says the same. */
export const figureMeanings = (kind: ImportKind) => ({
  processed: 'Rows that are loaded so far; rows that were set aside are not among them.',
  created: kind === 'events' ? 'Rows that added an event to a contact.' : 'Rows that added a contact.',
  updated: 'Rows that changed a contact, one from before this import or one from an earlier row of the same file.',
  unchanged: 'Rows that left their contact as it was, since it had all of their values already.',
  setAside: 'Rows that could not be loaded; the report names the line and the reason of each.',
  setAsideCells: 'Cells that do not fit the type of their field. Their rows were loaded without them.',
  empty: 'Rows without a value in any column, which are not loaded and do not count as rows.',
  purls: 'Processed rows whose contacts have their PURL.',
})
