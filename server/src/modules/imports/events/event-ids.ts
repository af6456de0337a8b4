/** Ids of events, from the first to the last one that an import can have. */
export type EventIds = { first: string; last: string }

/** The first digits of a UUID of version 8, whose content is free: here the import's number. The row's number follows. */
export const eventIdPrefix = (importId: number): string => `${importId.toString(16).padStart(8, '0')}-0000-8000-8000-`

export const eventIdsOf = (importId: number): EventIds => ({
  first: `${eventIdPrefix(importId)}${'0'.repeat(12)}`,
  last: `${eventIdPrefix(importId)}${'f'.repeat(12)}`,
})
