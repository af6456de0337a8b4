import { writeColumnList } from '@portico/contract/column-list'
import { contactsApi } from '@portico/contract/contacts'
import { matching } from '@portico/domain/pipeline/match-json'
import type { Stages } from '@portico/contract/filter'
import type { Caller } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'

/** Whether the caller may search contacts by these fields, and read them. */
function mayRead({ can }: Pick<Caller, 'can'>, names: readonly string[]): boolean {
  const find: Stages = names.flatMap((name) => matching({ [name]: { $exists: true } }))
  const request = judgedParts(contactsApi.listOffers, {
    params: {},
    query: { find, select: names.length > 0 ? writeColumnList(names) : undefined },
    body: undefined,
  })
  return can(contactsApi.listOffers.access, request)
}

/** The fields that the caller may read. Of the others they learn nothing, not even the names. */
export function readableFields<Field extends { name: string }>(
  caller: Pick<Caller, 'can'>,
  fields: readonly Field[],
): Field[] {
  // Nearly all callers may read all fields, which one question tells.
  const few = fields.slice(0, 1000)
  if (
    fields.length === few.length &&
    mayRead(
      caller,
      few.map(({ name }) => name),
    )
  )
    return [...fields]
  return fields.filter(({ name }) => mayRead(caller, [name]))
}
