import { contactsApi } from '@portico/contract/contacts'
import { useQuery } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'

/** The fields of the account's contacts, in the order they came; asked for by those who may see them. */
export const useFields = (isAllowed = true) =>
  useQuery({
    queryKey: ['fields'],
    queryFn: ({ signal }) => call(contactsApi.listFields, {}, { signal }),
    enabled: isAllowed,
  })
