import type { Owner } from '@portico/contract/policies'

/** Who knows a policy or group: everyone, or an account and its sub-accounts. */
export const levelOf = (ownerPaid: Owner): 'Global' | 'Account' => (ownerPaid === '*' ? 'Global' : 'Account')
