import { contactsApi } from '@portico/contract/contacts'
import { useQuery } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { useMayCall } from '#lib/session/may-call.ts'

/**
 * The fields of the account's contacts, in the order in which they were created. Requests nothing without the right to
 * see contacts.
 */
export const useFields = () =>
  useQuery({
    queryKey: ['fields'],
    queryFn: ({ signal }) => call(contactsApi.listFields, {}, { signal }),
    enabled: useMayCall(contactsApi.listFields),
  })
