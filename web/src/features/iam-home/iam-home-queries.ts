import { accountsApi } from '@portico/contract/accounts'
import { auditApi, type AuditEntry } from '@portico/contract/audit'
import { identitiesApi } from '@portico/contract/identities'
import { impersonationApi } from '@portico/contract/impersonation'
import { policiesApi } from '@portico/contract/policies'
import { useQuery } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'

// The keys differ from those of the lists' own screens: this page does not depend on how those store their data.

export const useIdentities = () =>
  useQuery({
    queryKey: ['iam-home', 'identities'],
    queryFn: ({ signal }) => call(identitiesApi.listIdentities, {}, { signal }),
  })

const recentLines = 8

/** The latest entries of the account's audit log. */
export const useRecentLines = () =>
  useQuery({
    queryKey: ['iam-home', 'audit'],
    queryFn: async ({ signal }) =>
      // Without `count` the contract returns the list.
      (await call(auditApi.listAudit, { limit: recentLines }, { signal })) as AuditEntry[],
  })

/** The number of items that each screen lists; undefined while unknown. */
export function useFigures(mayAdministerAll: boolean) {
  const identities = useIdentities()
  const groups = useQuery({
    queryKey: ['iam-home', 'groups'],
    queryFn: ({ signal }) => call(policiesApi.listGroups, {}, { signal }),
  })
  const policies = useQuery({
    queryKey: ['iam-home', 'policies'],
    queryFn: ({ signal }) => call(policiesApi.listPolicies, {}, { signal }),
  })
  const links = useQuery({
    queryKey: ['iam-home', 'links'],
    queryFn: ({ signal }) => call(impersonationApi.listImpersonations, {}, { signal }),
  })
  const accounts = useQuery({
    queryKey: ['iam-home', 'accounts'],
    queryFn: ({ signal }) => call(accountsApi.listAccountDetails, {}, { signal }),
    enabled: mayAdministerAll,
  })
  return {
    identities: identities.data?.length,
    groups: groups.data?.length,
    policies: policies.data?.length,
    impersonation: links.data?.length,
    accounts: accounts.data?.length,
  }
}
