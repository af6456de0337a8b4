import { type OwnedItem, peopleApi, type PeopleQuery, type Person, type PersonDetails } from '@portico/contract/people'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'

/** The query of the list, without its page. */
export type PeopleInput = Partial<Omit<PeopleQuery, 'limit' | 'skip'>>

export const usePeople = (input: PeopleInput, page: number, pageSize: number) =>
  useQuery({
    queryKey: ['people', 'page', input, page, pageSize],
    queryFn: ({ signal }) =>
      call(peopleApi.listPeople, { ...input, limit: pageSize, skip: (page - 1) * pageSize }, { signal }),
    placeholderData: keepPreviousData,
  })

export const usePeopleFilters = () =>
  useQuery({
    queryKey: ['people', 'filters'],
    queryFn: ({ signal }) => call(peopleApi.getPeopleFilters, {}, { signal }),
  })

const mostOfCall = 1000

/** All people that the list shows, on all pages. */
async function allPeople(input: PeopleInput): Promise<Person[]> {
  const people: Person[] = []
  for (;;) {
    const { rows } = await call(peopleApi.listPeople, { ...input, limit: mostOfCall, skip: people.length })
    people.push(...rows)
    if (rows.length < mostOfCall) return people
  }
}

export const useAllPeople = () => useMutation({ mutationFn: allPeople })

export const usePerson = (id: string) =>
  useQuery({
    queryKey: ['people', 'one', id],
    queryFn: ({ signal }): Promise<PersonDetails> => call(peopleApi.getPerson, { id }, { signal }),
  })

/**
 * Runs a change and refetches people and the lists of the area, whether it succeeds or not. `isGone`: the person cannot be
 * read afterwards, so the open page is not refetched.
 */
function useChange<Input, Reply>(
  change: (input: Input) => Promise<Reply>,
  isGone: (reply: Reply) => boolean = () => false,
) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: async (reply) => {
      const refetchType = reply !== undefined && isGone(reply) ? 'none' : 'active'
      const refresh = (noun: string) => client.invalidateQueries({ queryKey: [noun], refetchType })
      await Promise.all(['people', 'identities'].map(refresh))
    },
  })
}

export const useSetState = (id: string) =>
  useChange((isDisabled: boolean) => call(peopleApi.setPersonState, { id, body: { isDisabled } }))

export const useEndSessions = (id: string) => useChange(() => call(peopleApi.endPersonSessions, { id }))

export const useRevokeSecrets = (id: string) => useChange(() => call(peopleApi.revokePersonSecrets, { id }))

/** `count`: of all identities that the caller administers. */
export const useRemove = (id: string, count: number) =>
  useChange(
    (identities: string[]) => call(peopleApi.removePerson, { id, body: { identities } }),
    ({ removed }) => removed === count,
  )

export const usePreviewHandOver = (id: string) =>
  useMutation({
    mutationFn: (body: { email: string; skip: number }): Promise<OwnedItem[]> =>
      call(peopleApi.previewHandOver, { id, body }),
  })

export const useHandOver = (id: string) =>
  useChange((body: { email: string; items: string[] }) => call(peopleApi.handOver, { id, body }))
