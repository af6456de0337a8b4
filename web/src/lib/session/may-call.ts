import { type Feature, features } from '@portico/contract/features'
import { useUser } from './session.ts'

/** A call whose right is a feature's. */
type FeatureCall = { access: (typeof features)[Feature] }

/**
 * Whether the user holds the right that the contract requires for a call. Use it to show or hide; the server decides.
 */
export function useMayCall({ access }: FeatureCall): boolean {
  const { policies } = useUser()
  // Features of the same action are the same right.
  return Object.entries(features).some(([feature, action]) => action === access && policies.includes(feature))
}

/** Why a feature is not offered to the user: whom to ask for it, or that no impersonation link includes it. */
export const useWhyNot = (): string => (useUser().isImpersonated ? notThroughLink : askForFeature)

const notThroughLink = 'Impersonation links cannot save anything that acts later. Sign in to do this.'

/** Ends a text about something that requires a feature, for users without it. */
export const askForFeature = 'Contact your admin to see how you can get this feature.'
