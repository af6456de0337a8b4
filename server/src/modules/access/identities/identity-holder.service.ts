import { messages } from '@portico/contract/messages'
import { isSameCaller } from '@portico/contract/email-address'
import { isSameName } from '@portico/domain/names'
import { requirePersonWith } from '#persons'
import { AppError, invalidField } from '#platform/app-error.ts'
import type { Db } from '#platform/database.ts'
import { servicePrefix } from '@portico/contract/identities'
import type { Administrator } from '../administrator.ts'
import { hasIdentity, type IdentityHolder, type IdentityRow, selectServiceIdentity } from './identities.queries.ts'
import { managedAccount } from './identity-rules.ts'
import type { IdentityDraft } from './identity-values.ts'

/** The holder of an identity, and their name in the audit log. */
export type NamedHolder = { holder: IdentityHolder; name: string }

/**
 * The person or service that a draft names; adds a person who does not exist yet. `known` is the identity to change,
 * null for a new one.
 * @throws name_taken when they already have an identity there; invalid_input when a person's identity would become a
 * service's or the reverse
 */
export async function draftHolderOf(
  tx: Db,
  admin: Administrator,
  { email, serviceName }: IdentityDraft,
  known: IdentityRow | null,
): Promise<NamedHolder> {
  if (known && (known.serviceName === null) !== (serviceName === undefined)) {
    throw invalidField(serviceName === undefined ? 'email' : 'serviceName', messages.notAllowed)
  }
  const account = managedAccount(admin)
  if (serviceName !== undefined && account !== null) {
    const isKept = known !== null && known.serviceName !== null && isSameName(serviceName, known.serviceName)
    if (!isKept && (await selectServiceIdentity(tx, account, serviceName)) !== null)
      throw duplicate('serviceName', messages.duplicateService)
    return { holder: { personId: null, serviceName }, name: servicePrefix + serviceName }
  }
  // The contract requires one of the two. An unchanged address keeps its person, even if several people share it.
  if (known?.personId && isSameCaller(known.email, email ?? '')) {
    return { holder: { personId: known.personId, serviceName: null }, name: known.email }
  }
  const person = await requirePersonWith(tx, email ?? '')
  const isNew = person.id !== known?.personId
  if (isNew && (await hasIdentity(tx, account, person.id, known?.id ?? null))) throw duplicateEmail()
  return { holder: { personId: person.id, serviceName: null }, name: person.email }
}

export const duplicateEmail = (): AppError => duplicate('email', messages.duplicateEmail)

function duplicate(field: string, message: string): AppError {
  return new AppError('name_taken', [{ field, message }], message)
}
