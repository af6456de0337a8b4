import { type Account, type AccountChanges, accountsApi, type NewAccount } from '@portico/contract/accounts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'

const key = ['account-details']

export const useAccountDetails = () =>
  useQuery({ queryKey: key, queryFn: ({ signal }) => call(accountsApi.listAccountDetails, {}, { signal }) })

/** A change of an account; the list, and the choice of accounts in the bar, follow. */
function useAccountChange<T>(change: (input: T) => Promise<Account>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => Promise.all([key, ['accounts']].map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
}

export const useCreateAccount = () => useAccountChange((body: NewAccount) => call(accountsApi.createAccount, { body }))

export const useUpdateAccount = (id: number) =>
  useAccountChange((body: AccountChanges) => call(accountsApi.updateAccount, { id, body }))

export const useAddPowerUser = (id: number) =>
  useAccountChange((email: string) => call(accountsApi.addPowerUser, { id, body: { email } }))
