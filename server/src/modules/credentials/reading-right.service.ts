import type { AccountId } from '@portico/contract/accounts'
import { contactsApi } from '@portico/contract/contacts'
import type { Stages } from '@portico/contract/filter'
import { everyRule } from '@portico/domain/pipeline/row-rules'
import type pg from 'pg'
import type { Caller, RequestParts } from '#platform/http/context.ts'
import { actingHolder } from './acting-holder.service.ts'

/** The holder whose rights may be used to read contacts besides the reader's own; null if unknown. */
export type Saver = { holder: string | null }

/** Whose right lets contacts be read, and which contacts it lets through; null for all contacts. */
export type ReadingRight = { right: 'own' | 'of author'; rows: Stages | null }

/** `address`: where the reader is now; null for reading without a place. `rows`: the reader's own row rule. */
type Reading = {
  caller: Pick<Caller, 'can' | 'rows'>
  account: AccountId
  address: string | null
  rows: Stages | null
}

/**
 * Whose right lets contacts be read by these searches (`GET /offers`): the reader's, or else that of the single
 * identity that saved them. It is judged in the reader's account, now and from the reader's address; without an
 * address, regardless of hours and networks. By either right, readers see no contact outside their own row rule.
 * Otherwise the reason why the contacts cannot be read, in words for users.
 */
export async function readingRight(
  pool: pg.Pool,
  { caller, account, address, rows }: Reading,
  saver: Saver | null,
  requests: readonly RequestParts[],
): Promise<ReadingRight | { refusal: string }> {
  const { access } = contactsApi.listOffers
  const readBy = (reader: Pick<Caller, 'rows'>) =>
    everyRule(rows, ...requests.map((request) => reader.rows({ access }, request)))
  if (requests.every((request) => caller.can(access, request))) return { right: 'own', rows: readBy(caller) }
  if (saver === null) return { refusal: 'You may not read these contacts.' }
  if (saver.holder === null) {
    return { refusal: 'It is not known with which rights this dashboard was saved. Its author has to save it again.' }
  }
  const acting = await actingHolder(pool, account, saver.holder, address)
  if ('refusal' in acting && acting.because === 'credential') {
    return { refusal: 'The API credential that saved this dashboard no longer works.' }
  }
  if ('refusal' in acting && acting.because === 'two-factor') return { refusal: acting.refusal }
  const may = 'caller' in acting && requests.every((request) => acting.caller.can(access, request))
  if (!may) return { refusal: 'The author may not read contacts of this account.' }
  return { right: 'of author', rows: readBy(acting.caller) }
}
