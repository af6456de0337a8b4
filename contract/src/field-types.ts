import type { Field, FieldType } from './contacts.ts'

// Apart from the schemas of contacts: screens that check nothing load without them.

/** Whether values of the type have a year, a month and so on: moments and days. */
export const isDateType = (type: FieldType | null | undefined): type is 'date' | 'day' =>
  type === 'date' || type === 'day'

/** Fields that the portal itself keeps for each contact. It maintains their indexes; users can add none. */
export const internalFields: readonly Field[] = [
  { name: '_id', type: 'string', isIndexed: true },
  { name: 'purl', type: 'string', isIndexed: true },
  { name: 'basePurl', type: 'string', isIndexed: true },
  { name: 'purlNumber', type: 'number', isIndexed: true },
  { name: 'Import', type: 'number', isIndexed: true },
]
