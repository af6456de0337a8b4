import { contactsApi } from '@portico/contract/contacts'
import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import { ReadText } from '@portico/contract/read-text'
import { accessOf, heldPoliciesOf, isAllowed } from '#access'
import { AppError } from '#platform/app-error.ts'
import type { Database } from '#platform/database.ts'
import type { AccountContext, RequestParts } from '#platform/http/context.ts'

/**
 * Makes sure that the contacts may be read: by the viewer, or by the person who has saved the dashboard, in the viewer's
 * account, now and from the viewer's address; without an address, whatever the hour and the network. Each pipeline is judged as `GET /offers` would judge it.
 * Returns whose right it is.
 * @throws cell_failed
 */
export async function requireReadable(
  { pool }: Pick<Database, 'pool'>,
  { caller, account, address }: Pick<AccountContext, 'caller' | 'account'> & { address: string | null },
  savedBy: string | null,
  pipelines: readonly Stages[],
): Promise<'own' | 'of author'> {
  const requests = pipelines.map((stages): RequestParts => ({
    params: {},
    query: { aggregate: ReadText.stages(stages) },
    body: undefined,
  }))
  const { access: action } = contactsApi.listOffers
  if (requests.every((request) => caller.can(action, request))) return 'own'
  if (savedBy === null) throw new AppError('cell_failed', undefined, 'You may not read these contacts.')
  const policies = await policiesOf(pool, account, savedBy, address)
  const isAuthorAllowed = policies !== null && requests.every((request) => isAllowed(policies, action, request))
  if (!isAuthorAllowed) {
    throw new AppError('cell_failed', undefined, 'The author may not read contacts of this account.')
  }
  return 'of author'
}

/** The policies of a person who may work in the account; null for one who may not. */
async function policiesOf(pool: Database['pool'], account: AccountId, person: string, address: string | null) {
  if (address === null) return heldPoliciesOf(pool, account, person)
  const access = await accessOf(pool, account, person, address)
  return access?.mayEnter === true ? access.policies : null
}
