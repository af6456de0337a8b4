import { contactsApi } from '@portico/contract/contacts'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { call } from '#lib/api.ts'
import { fetchCount, fetchPage, type ListInput } from '#lib/lists.ts'

/** The fields of the account's contacts, in the order they came. */
export const useFields = () =>
  useQuery({
    queryKey: ['fields'],
    queryFn: ({ signal }) => call(contactsApi.listFields, {}, { signal }),
  })

export const useContactPage = (input: ListInput, isReady: boolean) =>
  useQuery({
    queryKey: ['contacts', 'page', input],
    queryFn: ({ signal }) => fetchPage(contactsApi.listOffers, input, signal),
    placeholderData: keepPreviousData,
    enabled: isReady,
  })

export const useContactCount = (find: NonNullable<ListInput['find']>, isReady: boolean) =>
  useQuery({
    queryKey: ['contacts', 'count', find],
    queryFn: ({ signal }) => fetchCount(contactsApi.listOffers, find, signal),
    placeholderData: keepPreviousData,
    enabled: isReady,
  })

/** One contact with all its fields and events; fetched once, however often its row is opened. */
export const useContact = (id: string) =>
  useQuery({
    queryKey: ['contacts', 'one', id],
    queryFn: ({ signal }) => call(contactsApi.getOffer, { id }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
