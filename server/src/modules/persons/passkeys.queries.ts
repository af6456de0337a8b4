import { sql } from 'kysely'
import { control, type Db } from '#platform/database.ts'
import type { Tables } from './tables.ts'

export type PasskeyRow = {
  id: string
  personId: string
  /** Base64url. */
  credentialId: string
  /** COSE. */
  publicKey: Buffer
  /** Signatures that the authenticator has counted; 0 if it counts none. */
  counter: number
  transports: string[]
  isSynced: boolean
  name: string
  createdAt: Date
  lastUsedAt: Date | null
}

/** A person's passkeys, the oldest first. */
export async function selectPasskeys(db: Db, personId: string): Promise<PasskeyRow[]> {
  const rows = await passkeys(db).where('person_id', '=', personId).orderBy('created_at').orderBy('id').execute()
  return rows.map(withNumber)
}

export async function selectHasPasskey(db: Db, personId: string): Promise<boolean> {
  const row = await control<Tables>(db)
    .selectFrom('passkeys')
    .select('id')
    .where('person_id', '=', personId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The passkey with an authenticator's id, with the handle of its person; null if there is none. */
export async function selectPasskeyByCredential(
  db: Db,
  credentialId: string,
): Promise<(PasskeyRow & { handle: string | null }) | null> {
  const row = await passkeys(db)
    .innerJoin('persons', 'persons.id', 'passkeys.person_id')
    .select('passkey_handle as handle')
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
  return row ? withNumber(row) : null
}

function passkeys(db: Db) {
  return control<Tables>(db)
    .selectFrom('passkeys')
    .select([
      'passkeys.id',
      'person_id as personId',
      'credential_id as credentialId',
      'public_key as publicKey',
      'counter',
      'transports',
      'is_synced as isSynced',
      'passkeys.name',
      'passkeys.created_at as createdAt',
      'last_used_at as lastUsedAt',
    ])
}

const withNumber = <Row extends { counter: string }>(row: Row): Omit<Row, 'counter'> & { counter: number } => ({
  ...row,
  counter: Number(row.counter),
})

/** Returns false if a passkey with this id of the authenticator exists, of whatever person. */
export async function insertPasskey(db: Db, passkey: Omit<PasskeyRow, 'lastUsedAt'>): Promise<boolean> {
  const { id, personId, credentialId, publicKey, counter, transports, isSynced, name, createdAt } = passkey
  const inserted = await control<Tables>(db)
    .insertInto('passkeys')
    .values({
      id,
      person_id: personId,
      credential_id: credentialId,
      public_key: publicKey,
      counter,
      transports,
      is_synced: isSynced,
      name,
      created_at: createdAt,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

/** Returns the renamed passkey; null if it is not one of the person's. */
export async function updatePasskeyName(
  db: Db,
  personId: string,
  id: string,
  name: string,
): Promise<{ before: string } | null> {
  const { rows } = await sql<{ before: string }>`
    UPDATE portico.passkeys k SET name = ${name}
    FROM (SELECT id, name FROM portico.passkeys WHERE id = ${id} AND person_id = ${personId} FOR UPDATE) old
    WHERE k.id = old.id RETURNING old.name AS before`.execute(db)
  return rows[0] ?? null
}

/**
 * Records a sign-in. Returns false if the passkey was removed, or its counter has not grown since: each signature of an
 * authenticator that counts has a higher number.
 */
export async function updatePasskeyUsed(
  db: Db,
  id: string,
  { counter, isSynced, at }: { counter: number; isSynced: boolean; at: Date },
): Promise<boolean> {
  const updated = await control<Tables>(db)
    .updateTable('passkeys')
    .set({ counter, is_synced: isSynced, last_used_at: at })
    .where('id', '=', id)
    .where(sql<boolean>`(counter < ${counter} OR (counter = 0 AND ${counter} = 0))`)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Returns its name; null if it is not one of the person's. */
export async function deletePasskey(db: Db, personId: string, id: string): Promise<string | null> {
  const deleted = await control<Tables>(db)
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('person_id', '=', personId)
    .returning('name')
    .executeTakeFirst()
  return deleted?.name ?? null
}

/** Removes all passkeys of a person. Returns their names. */
export async function deletePasskeys(db: Db, personId: string): Promise<string[]> {
  const deleted = await control<Tables>(db)
    .deleteFrom('passkeys')
    .where('person_id', '=', personId)
    .returning('name')
    .execute()
  return deleted.map(({ name }) => name)
}

/** The handle by which authenticators know a person; `handle` becomes it if they have none yet. */
export async function findOrAddHandle(db: Db, personId: string, handle: string): Promise<string> {
  const { rows } = await sql<{ handle: string }>`
    UPDATE portico.persons SET passkey_handle = coalesce(passkey_handle, ${handle})
    WHERE id = ${personId} RETURNING passkey_handle AS handle`.execute(db)
  return rows[0]?.handle ?? handle
}
