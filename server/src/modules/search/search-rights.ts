import { writeColumnList } from '@portico/contract/column-list'
import { contactsApi } from '@portico/contract/contacts'
import { matching } from '@portico/domain/pipeline/match-json'
import type { Caller } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'

/**
 * Whether a caller may search all contacts by these fields, and read them: messages that name values of contacts are for
 * those who could look them up.
 */
export function maySearchBy(caller: Pick<Caller, 'can' | 'rows'>, names: readonly string[]): boolean {
  const find = names.flatMap((name) => matching({ [name]: { $exists: true } }))
  const select = names.length > 0 ? writeColumnList(names) : undefined
  const request = judgedParts(contactsApi.listOffers, { params: {}, query: { find, select }, body: undefined })
  return caller.can(contactsApi.listOffers.access, request) && caller.rows(contactsApi.listOffers, request) === null
}
