/** A built-in index, as lists show it. */
export type InternalIndex = { name: string; field: string; table: string; physicalName: string; isUnique: boolean }

/** Indexes that every account has; built by `buildContactIndexes` of `contacts`. */
export const internalIndexes: readonly InternalIndex[] = [
  { name: '_id_', field: '_id', table: 'contacts', physicalName: 'contacts_pkey', isUnique: true },
  { name: 'purl', field: 'purl', table: 'contact_keys', physicalName: 'contact_keys_purl_key', isUnique: true },
  {
    name: 'dedupHash',
    field: 'dedupHash',
    table: 'contact_keys',
    physicalName: 'contact_keys_dedup_hash_key',
    isUnique: true,
  },
  {
    name: 'location',
    field: 'location',
    table: 'contact_keys',
    physicalName: 'contact_keys_location_idx',
    isUnique: false,
  },
]
