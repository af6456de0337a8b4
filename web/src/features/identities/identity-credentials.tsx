import type { Identity } from '@portico/contract/identities'
import { identityName, useChangeCredential } from '#domain/access'
import { CredentialsDialog } from '#domain/credentials'
import { useUser } from '#lib/session/session.ts'

/** The API credentials of an identity. For a person's, only the person adds credentials; others can switch them off. */
export function IdentityCredentials({ identity, onClose }: { identity: Identity; onClose: () => void }) {
  const { email: own } = useUser()
  const change = useChangeCredential()
  const { kind, email } = identity
  const isOthers = kind === 'person' && email !== own
  return (
    <CredentialsDialog
      identity={{ ...identity, name: identityName(identity) }}
      change={change}
      lockReason={
        isOthers ? `Only ${email} can do this, in their profile. For a program, create a service identity.` : null
      }
      isOwner={!isOthers && kind === 'person'}
      onClose={onClose}
    />
  )
}
