import { setImmediate as nextTurn } from 'node:timers/promises'
import { writeColumnList } from '@portico/contract/column-list'
import { contactsApi } from '@portico/contract/contacts'
import { matching } from '@portico/domain/pipeline/match-json'
import type { Stages } from '@portico/contract/filter'
import type { Caller, RequestParts } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'

/** The request that searches contacts by these fields and reads them. */
function readingRequest(names: readonly string[]): RequestParts {
  const find: Stages = names.flatMap((name) => matching({ [name]: { $exists: true } }))
  return judgedParts(contactsApi.listOffers, {
    params: {},
    query: { find, select: names.length > 0 ? writeColumnList(names) : undefined },
    body: undefined,
  })
}

/** The most fields checked at once: the length of a request is limited. */
const mostAtOnce = 1000

/**
 * The fields that the caller may read of some contacts. Of the others, the caller learns nothing, not even the names.
 * For values, see the three functions below: the right to a field can come from an identity that sees other contacts.
 */
export const readableFields = <Field extends { name: string }>(
  { can }: Pick<Caller, 'can'>,
  fields: readonly Field[],
): Promise<Field[]> => allowed(fields, (request) => can(contactsApi.listOffers.access, request))

/** The fields that the caller may read of all contacts, by one identity. For counts and samples of all values. */
export const fieldsReadOfAll = <Field extends { name: string }>(
  caller: Pick<Caller, 'can' | 'rows'>,
  fields: readonly Field[],
): Promise<Field[]> => fieldsReadOf(caller, fields, async (rows) => rows === null)

/**
 * The fields that the caller may read of certain contacts. `isSeen` returns whether all of these are among the contacts
 * that the stages find; null finds all.
 */
export const fieldsReadOf = <Field extends { name: string }>(
  { can, rows }: Pick<Caller, 'can' | 'rows'>,
  fields: readonly Field[],
  isSeen: (rows: Stages | null) => Promise<boolean>,
): Promise<Field[]> =>
  allowed(
    fields,
    async (request) =>
      can(contactsApi.listOffers.access, request) && (await isSeen(rows(contactsApi.listOffers, request))),
  )

/** The contacts of which the caller may read these fields, as stages of a filter; null for all. */
export const rowsOfFields = ({ rows }: Pick<Caller, 'rows'>, names: readonly string[]): Stages | null =>
  rows(contactsApi.listOffers, readingRequest(names))

/**
 * The fields for which reading is allowed. Nearly all callers may read all fields, which one check shows; a set that is
 * refused is split in half and checked again. Other requests can run between the checks.
 */
async function allowed<Field extends { name: string }>(
  fields: readonly Field[],
  mayRead: (request: RequestParts) => boolean | Promise<boolean>,
): Promise<Field[]> {
  const readable: Field[] = []
  const ask = async (from: number, to: number): Promise<void> => {
    const block = fields.slice(from, to)
    if (block.length <= mostAtOnce) {
      await nextTurn()
      const names = block.map(({ name }) => name)
      if (await mayRead(readingRequest(names))) {
        readable.push(...block)
        return
      }
      if (block.length <= 1) return
    }
    const middle = from + Math.ceil(block.length / 2)
    await ask(from, middle)
    await ask(middle, to)
  }
  if (fields.length > 0) await ask(0, fields.length)
  return readable
}
