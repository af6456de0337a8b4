import { type Passkey, passkeysApi } from '@portico/contract/passkeys'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '#lib/api/api.ts'
import { makePasskey } from '#lib/passkeys.ts'

/** The proof for adding or removing a passkey; the code only with two-factor on. */
export type PasskeyProof = { password: string; code: string }

const bodyOf = ({ password, code }: PasskeyProof): { password: string; code?: string } => ({
  password,
  ...(code && { code }),
})

/** The user's own passkeys, the oldest first. */
export const usePasskeys = () =>
  useQuery<Passkey[]>({
    queryKey: ['profile', 'passkeys'],
    queryFn: ({ signal }) => call(passkeysApi.listPasskeys, {}, { signal }),
  })

/** Proves who is there, makes the passkey on a device, and adds it under a name. */
export async function addPasskey({ name, ...proof }: PasskeyProof & { name: string }): Promise<Passkey> {
  const begun = await call(passkeysApi.beginPasskey, { body: bodyOf(proof) })
  const passkey = await makePasskey(begun)
  return call(passkeysApi.addPasskey, { body: { token: begun.token, name, passkey } })
}

export const removePasskey = ({ id, ...proof }: PasskeyProof & { id: string }): Promise<null> =>
  call(passkeysApi.removePasskey, { id, body: bodyOf(proof) })

export function useRenamePasskey() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ id, name }: { id: string; name: string }) => call(passkeysApi.renamePasskey, { id, body: { name } }),
    onSettled: () => client.invalidateQueries({ queryKey: ['profile', 'passkeys'] }),
  })
}
