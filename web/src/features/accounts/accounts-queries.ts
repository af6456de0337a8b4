import { type Account, type AccountChanges, accountsApi, type NewAccount } from '@portico/contract/accounts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { changeFresh, type Editing } from '#domain/editing'
import { call } from '#lib/api/api.ts'

const key = ['account-details']

export const useAccountDetails = () =>
  useQuery({ queryKey: key, queryFn: ({ signal }) => call(accountsApi.listAccountDetails, {}, { signal }) })

/** A change of an account; refreshes the list and the account picker in the bar. */
function useAccountChange<T>(change: (input: T) => Promise<Account>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => Promise.all([key, ['accounts']].map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
}

export const useCreateAccount = () => useAccountChange((body: NewAccount) => call(accountsApi.createAccount, { body }))

export const getAccount = (id: number): Promise<Account> => call(accountsApi.getAccount, { id })

/** `save` passes the account whose version is saved over. */
export const useUpdateAccount = (id: number, save: Editing<Account>['save']) =>
  useAccountChange((body: AccountChanges) =>
    save((over) => call(accountsApi.updateAccount, { id, body: { ...body, ...(over && { version: over.version }) } })),
  )

/** Suspends or resumes an account, regardless of other changes made at the same time. */
export const useSuspendAccount = (id: number) =>
  useAccountChange((isSuspended: boolean) =>
    changeFresh(
      () => getAccount(id),
      ({ version }) => call(accountsApi.updateAccount, { id, body: { isSuspended, version } }),
    ),
  )

export const useAddPowerUser = (id: number) =>
  useAccountChange((body: { email: string; accessToAllSubAccounts: boolean }) =>
    call(accountsApi.addPowerUser, { id, body }),
  )
