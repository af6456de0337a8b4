import { PersonState, peopleOrders } from '@portico/contract/people'
import { useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { useTableUrl } from '#lib/table/table-url.ts'
import type { PeopleInput } from './people-queries.ts'

/** The fields of the filter as they are in the address; empty for any. */
export type PeopleFields = Record<'search' | 'state' | 'signIn' | 'twoFactor' | 'account' | 'group' | 'domain', string>

const none: PeopleFields = { search: '', state: '', signIn: '', twoFactor: '', account: '', group: '', domain: '' }
const names = Object.keys(none) as (keyof PeopleFields)[]

const readFields = (params: URLSearchParams): PeopleFields => {
  const fields = { ...none }
  for (const name of names) fields[name] = params.get(name) ?? ''
  return fields
}

/** Values that the server does not know are left out. */
function toInput({ search, state, signIn, twoFactor, account, group, domain }: PeopleFields): PeopleInput {
  const known = PersonState.safeParse(state)
  return {
    ...(search.trim() && { search: search.trim() }),
    ...(known.success && { state: known.data }),
    ...(signIn === 'never' && { signIn }),
    ...(twoFactor === 'off' && { twoFactor }),
    ...(/^\d{1,9}$/.test(account) && { account: Number(account) }),
    ...(group && { group }),
    ...(domain.trim() && { domain: domain.trim() }),
  }
}

/** Filter, order and page of the list, kept in the address. */
export function usePeopleUrl() {
  const [params, setParams] = useSearchParams()
  const table = useTableUrl(20)
  const text = params.toString()
  const fields = useMemo(() => readFields(new URLSearchParams(text)), [text])
  const sort = peopleOrders.find((order) => order === table.sort?.field)
  const filter = toInput(fields)
  const order = table.sort?.direction ?? 'asc'
  const change = (part: Partial<PeopleFields>): void =>
    setParams(
      (now) => {
        const next = new URLSearchParams(now)
        next.delete('page')
        for (const [name, value] of Object.entries(part)) {
          if (value) next.set(name, value)
          else next.delete(name)
        }
        return next
      },
      { replace: true },
    )
  return {
    fields,
    table,
    input: { ...filter, ...(sort && { sort, order }) } satisfies PeopleInput,
    isActive: Object.keys(filter).length > 0,
    change,
    clear: () => change(none),
  }
}
