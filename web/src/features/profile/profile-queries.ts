import { type OwnSession, ownAccountApi, type Profile } from '@portico/contract/own-account'
import { ownIdentitiesApi } from '@portico/contract/own-identities'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ChangeCredential } from '#domain/credentials'
import type { Editing } from '#domain/editing'
import { call } from '#lib/api/api.ts'
import { refreshRights } from '#lib/session/session.ts'

const profileKey = ['profile', 'own']
const sessionsKey = ['profile', 'sessions']

export const getProfile = (): Promise<Profile> => call(ownAccountApi.getProfile, {})

/** Requested each time the screen opens. */
export const useProfile = () => useQuery({ queryKey: profileKey, queryFn: getProfile, gcTime: 0 })

/** The user's own sessions, this one first. */
export const useOwnSessions = () =>
  useQuery<OwnSession[]>({
    queryKey: sessionsKey,
    queryFn: ({ signal }) => call(ownAccountApi.listOwnSessions, {}, { signal }),
    refetchInterval: 60_000,
  })

function showProfile(client: QueryClient, profile: Profile): void {
  client.setQueryData(profileKey, profile)
  // The bar also shows name and photo.
  void refreshRights()
}

function useProfileChange<Input>(change: (input: Input) => Promise<Profile>) {
  const client = useQueryClient()
  return useMutation({ mutationFn: change, onSuccess: (profile) => showProfile(client, profile) })
}

/** Null or an empty name removes the name. `save` passes the profile whose version is saved over. */
export const useRename = (save: Editing<Profile>['save']) =>
  useProfileChange((userName: string) =>
    save((over) =>
      call(ownAccountApi.updateProfile, {
        body: { userName: userName || null, ...(over && { version: over.version }) },
      }),
    ),
  )

export const usePutPhoto = (save: Editing<Profile>['save']) =>
  useProfileChange(async (photo: Promise<Blob>) => {
    // The contract's type is File, which on the wire is a Blob: only its bytes and its type are sent.
    const body = (await photo) as File
    return save((over) => call(ownAccountApi.putPhoto, { body, ...(over && { version: over.version }) }))
  })

export const useDeletePhoto = () => useProfileChange(() => call(ownAccountApi.deletePhoto, {}))

/** Security changes affect the profile and may end sessions: both are refetched. */
export function useSecurityChange<Input, Reply>(change: (input: Input) => Promise<Reply>) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => client.invalidateQueries({ queryKey: ['profile'] }),
  })
}

export const changePassword = (body: { currentPassword: string; newPassword: string }): Promise<null> =>
  call(ownAccountApi.changePassword, { body })
export const setUpTwoFactor = (password: string): Promise<{ secret: string; uri: string; qrCode: string }> =>
  call(ownAccountApi.setUpTwoFactor, { body: { password } })
export const confirmTwoFactor = async (code: string): Promise<string[]> =>
  (await call(ownAccountApi.confirmTwoFactor, { body: { code } })).recoveryCodes

/** Proves that the person at an open session is its owner. */
export type Proof = { password: string; code: string }

export const renewRecoveryCodes = async (body: Proof): Promise<string[]> =>
  (await call(ownAccountApi.renewRecoveryCodes, { body })).recoveryCodes
export const turnTwoFactorOff = (body: Proof): Promise<null> => call(ownAccountApi.turnTwoFactorOff, { body })
export const givePassword = (password: string): Promise<null> =>
  call(ownAccountApi.givePassword, { body: { password } })
export const endSession = (id: string): Promise<null> => call(ownAccountApi.endOwnSession, { id })
export const endOtherSessions = () => call(ownAccountApi.endOtherSessions, {})

const credentialsKey = ['profile', 'credentials']

/** The user's own identities with their API credentials, by account. */
export const useOwnCredentials = () =>
  useQuery({
    queryKey: credentialsKey,
    queryFn: ({ signal }) => call(ownIdentitiesApi.listOwnCredentials, {}, { signal }),
  })

/** Changes one of the user's own API credentials. */
export function useChangeOwnCredential(): ChangeCredential {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ body = {}, ...change }) => call(ownIdentitiesApi.changeOwnCredential, { ...change, body }),
    onSettled: () => client.invalidateQueries({ queryKey: credentialsKey }),
  })
}
