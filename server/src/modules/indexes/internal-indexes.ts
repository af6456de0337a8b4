/** An index that the portal keeps by itself, as lists show it. */
export type InternalIndex = { name: string; field: string; physicalName: string; isUnique: boolean }

/** What contacts are always found by, whatever users do; built by `buildContactIndexes` of `contacts`. */
export const internalIndexes: readonly InternalIndex[] = [
  { name: '_id_', field: '_id', physicalName: 'contacts_pkey', isUnique: true },
  { name: 'purl', field: 'purl', physicalName: 'contact_keys_purl_key', isUnique: true },
  { name: 'dedupHash', field: 'dedupHash', physicalName: 'contact_keys_dedup_hash_key', isUnique: true },
  { name: 'location', field: 'location', physicalName: 'contact_keys_location_idx', isUnique: false },
]
