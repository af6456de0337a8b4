import { control, type Db } from '#platform/database.ts'
import type { LinkKind, Tables } from '../tables.ts'

export type PersonLink = {
  id: string
  personId: string
  expiresAt: Date
  /** The identity of an invitation; null for invitations sent by earlier releases. */
  identityId: string | null
}

export async function insertPersonLink(
  db: Db,
  link: Omit<PersonLink, 'id'> & { kind: LinkKind; secretHash: string; at: Date },
): Promise<void> {
  await control<Tables>(db)
    .insertInto('person_links')
    .values({
      id: crypto.randomUUID(),
      person_id: link.personId,
      kind: link.kind,
      secret_hash: link.secretHash,
      created_at: link.at,
      expires_at: link.expiresAt,
      used_at: null,
      identity_id: link.identityId,
    })
    .execute()
}

/** The usable link with this secret hash. */
export async function selectPersonLink(
  db: Db,
  kind: LinkKind,
  secretHash: string,
  now: Date,
): Promise<PersonLink | null> {
  const link = await control<Tables>(db)
    .selectFrom('person_links')
    .select(['id', 'person_id as personId', 'expires_at as expiresAt', 'identity_id as identityId'])
    .where('secret_hash', '=', secretHash)
    .where('kind', '=', kind)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return link ?? null
}

/** Returns false when it was used or removed in the meantime. */
export async function updatePersonLinkUsed(db: Db, id: string, at: Date): Promise<boolean> {
  const updated = await control<Tables>(db)
    .updateTable('person_links')
    .set({ used_at: at })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Removes all links of a person. */
export async function deletePersonLinks(db: Db, personId: string): Promise<void> {
  await control<Tables>(db).deleteFrom('person_links').where('person_id', '=', personId).execute()
}

/** Removes a person's unused links of one kind for the same identity. */
export async function deleteUnusedPersonLinks(
  db: Db,
  personId: string,
  { kind, identityId }: { kind: LinkKind; identityId: string | null },
): Promise<void> {
  await control<Tables>(db)
    .deleteFrom('person_links')
    .where('person_id', '=', personId)
    .where('used_at', 'is', null)
    .where('kind', '=', kind)
    .where('identity_id', identityId === null ? 'is' : '=', identityId)
    .execute()
}
