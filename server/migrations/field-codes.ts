import { areCodes } from '@portico/domain/code-numbers'
import type pg from 'pg'

/** Contacts of each table whose values are read. */
const sample = 2000

/** Marks the number fields of earlier releases whose values are codes. */
export async function fillFieldCodes(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows: fields } = await client.query<{ id: number; name: string; part: number }>(
    `SELECT id, name, part FROM ${schema}.fields WHERE type = 'number' ORDER BY id`,
  )
  for (const [part, ofPart] of Map.groupBy(fields, (field) => field.part)) {
    const table = part === 1 ? 'contacts' : `contacts_${part}`
    const columns = ofPart.map(({ id }) => `c${id}`).join(', ')
    const { rows } = await client.query<Record<string, number | null>>(
      `SELECT ${columns} FROM ${schema}.${table} ORDER BY id DESC LIMIT ${sample}`,
    )
    const codes = ofPart.filter(({ id, name }) =>
      areCodes(
        name,
        rows.flatMap((row) => row[`c${id}`] ?? []),
      ),
    )
    if (codes.length === 0) continue
    await client.query(`UPDATE ${schema}.fields SET has_codes = true WHERE id = ANY ($1::int[])`, [
      codes.map(({ id }) => id),
    ])
  }
}
