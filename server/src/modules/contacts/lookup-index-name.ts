export const lookupIndexPrefix = 'lookup_index'

/** Physical name of the lookup index over these fields, which must be in the order of their ids. */
export function lookupIndexName(fields: readonly { column: string }[]): string {
  return [lookupIndexPrefix, ...fields.map(({ column }) => column)].join('_')
}
