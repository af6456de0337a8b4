import type { FieldType } from '@portico/contract/contacts'
import { sql } from 'kysely'
import { columnType, type ContactField, type ContactValue } from '#contacts'
import type { Db } from '#platform/database.ts'
import { coordinate } from '../loading/keys.queries.ts'
import { writtenText } from './change-texts.ts'

const typed = (value: ContactValue, type: FieldType) => sql`${value}::${columnType(type)}`

/** The text by which records of imports store a value; null for none. */
export async function selectWrittenText(db: Db, type: FieldType, value: ContactValue): Promise<string | null> {
  const { rows } = await sql<{ text: string | null }>`
    SELECT ${writtenText(typed(value, type), type)} AS text`.execute(db)
  return rows[0]?.text ?? null
}

/** The same for the coordinate that an import computes from a value, up to `limit` degrees. */
export async function selectCoordinateText(
  db: Db,
  field: ContactField,
  value: ContactValue,
  limit: number,
): Promise<string | null> {
  const source = { from: sql``, rowNumber: sql`0`, value: () => typed(value, field.type) }
  const { rows } = await sql<{ text: string | null }>`
    SELECT ${writtenText(coordinate(source, { position: -1, field }, limit), 'number')} AS text`.execute(db)
  return rows[0]?.text ?? null
}
