import type { ApiCredential } from '@portico/contract/identities'
import type { UseMutationResult } from '@tanstack/react-query'
import type { CredentialChange } from '#domain/access'

/** Changes a credential and returns the identity's credentials; a new one includes its secret, only this once. */
export type ChangeCredential = UseMutationResult<{ apiCredentials: ApiCredential[] }, Error, CredentialChange>
