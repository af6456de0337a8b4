import { type Explanation, explainApi } from '@portico/contract/explain'
import {
  type ChangedIdentity,
  identitiesApi,
  type Identity,
  type NewCredential,
  type NewIdentity,
} from '@portico/contract/identities'
import {
  type ChangedGroup,
  type ChangedPolicy,
  type Group,
  type NewGroup,
  type NewPolicy,
  policiesApi,
  type Policy,
} from '@portico/contract/policies'
import { type EffectiveRights, rightsApi } from '@portico/contract/rights'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'

export const usePolicies = () =>
  useQuery({
    queryKey: ['policies'],
    queryFn: ({ signal }) => call(policiesApi.listPolicies, {}, { signal }),
  })

export const useGroups = () =>
  useQuery({
    queryKey: ['groups'],
    queryFn: ({ signal }) => call(policiesApi.listGroups, {}, { signal }),
  })

export const useIdentities = () =>
  useQuery({
    queryKey: ['identities'],
    queryFn: ({ signal }) => call(identitiesApi.listIdentities, {}, { signal }),
  })

/** The three lists show each other's items, and rights follow from them: a change of one changes all. */
export function useFreshLists(): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    await Promise.all(
      ['policies', 'groups', 'identities', 'rights'].map((noun) => client.invalidateQueries({ queryKey: [noun] })),
    )
  }
}

export const getPolicy = (id: string): Promise<Policy> => call(policiesApi.getPolicy, { id })
export const createPolicy = (body: NewPolicy): Promise<Policy> => call(policiesApi.createPolicy, { body })
export const updatePolicy = (id: string, body: ChangedPolicy): Promise<Policy> =>
  call(policiesApi.updatePolicy, { id, body })
export const deletePolicy = (id: string): Promise<null> => call(policiesApi.deletePolicy, { id })

export const getGroup = (id: string): Promise<Group> => call(policiesApi.getGroup, { id })
export const createGroup = (body: NewGroup): Promise<Group> => call(policiesApi.createGroup, { body })
export const updateGroup = (id: string, body: ChangedGroup): Promise<Group> =>
  call(policiesApi.updateGroup, { id, body })
export const deleteGroup = (id: string): Promise<null> => call(policiesApi.deleteGroup, { id })

export const getIdentity = (id: string): Promise<Identity> => call(identitiesApi.getIdentity, { id })
export const createIdentity = (body: NewIdentity): Promise<Identity> => call(identitiesApi.createIdentity, { body })
export const updateIdentity = (id: string, body: ChangedIdentity): Promise<Identity> =>
  call(identitiesApi.updateIdentity, { id, body })
export const deleteIdentity = (id: string): Promise<null> => call(identitiesApi.deleteIdentity, { id })
export const inviteIdentity = (id: string): Promise<null> => call(identitiesApi.inviteIdentity, { id })
export const endSessions = (id: string): Promise<{ ended: number }> => call(identitiesApi.endIdentitySessions, { id })

/** Runs a mutation and refetches the lists, whether it succeeds or not. */
export function useSave<Input, Saved>(save: (input: Input) => Promise<Saved>) {
  const refresh = useFreshLists()
  return useMutation({ mutationFn: save, onSettled: refresh })
}

export type CredentialChange = {
  /** Id of the identity. */
  id: string
  action: 'addapi' | 'inactiveapi' | 'reactiveapi' | 'deleteapi'
  /** '0' for a new credential. */
  credentialId: string
  /** Describes a new credential. */
  body?: NewCredential
}

/** Changes a credential and returns the identity's credentials; a new one includes its secret, only this once. */
export const useChangeCredential = () =>
  useSave(({ body = {}, ...change }: CredentialChange) => call(identitiesApi.changeCredential, { ...change, body }))

/** Asks the server whether and why an identity may do something. Never cached: the result depends on the time. */
export const useExplain = () =>
  useMutation({
    mutationFn: (input: { email: string; action: string; address?: string }): Promise<Explanation> =>
      call(explainApi.explain, input),
  })

/** The rights of a person or a service identity in the account; asked for once `isWanted`. */
export const useRightsOf = (email: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['rights', 'of', email],
    queryFn: ({ signal }): Promise<EffectiveRights> => call(rightsApi.getRights, { email }, { signal }),
    enabled: isWanted,
  })
