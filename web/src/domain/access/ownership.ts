import type { Owner } from '@portico/contract/policies'

/** Who knows a policy or group: everybody, or an account and its sub-accounts. */
export const levelOf = (ownerPaid: Owner): 'Global' | 'Account' => (ownerPaid === '*' ? 'Global' : 'Account')
