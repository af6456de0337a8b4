import { setImmediate as nextTurn } from 'node:timers/promises'
import { writeColumnList } from '@portico/contract/column-list'
import { contactsApi } from '@portico/contract/contacts'
import { matching } from '@portico/domain/pipeline/match-json'
import type { Stages } from '@portico/contract/filter'
import type { Caller } from '#platform/http/context.ts'
import { judgedParts } from '#platform/http/read-request.ts'

/** Whether the caller may both search contacts by these fields and read them. */
function mayRead({ can }: Pick<Caller, 'can'>, names: readonly string[]): boolean {
  const find: Stages = names.flatMap((name) => matching({ [name]: { $exists: true } }))
  const request = judgedParts(contactsApi.listOffers, {
    params: {},
    query: { find, select: names.length > 0 ? writeColumnList(names) : undefined },
    body: undefined,
  })
  return can(contactsApi.listOffers.access, request)
}

/** The most fields checked at once: the length of a request is limited. */
const mostAtOnce = 1000

/**
 * The fields that the caller may read. Of the others, the caller learns nothing, not even the names. Nearly all callers
 * may read all fields, which one check shows; a set that is refused is split in half and checked again. Other requests
 * can run between the checks.
 */
export async function readableFields<Field extends { name: string }>(
  caller: Pick<Caller, 'can'>,
  fields: readonly Field[],
): Promise<Field[]> {
  const readable: Field[] = []
  const ask = async (from: number, to: number): Promise<void> => {
    const block = fields.slice(from, to)
    if (block.length <= mostAtOnce) {
      await nextTurn()
      const names = block.map(({ name }) => name)
      if (mayRead(caller, names)) {
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
