import type { Owner } from '@portico/contract/policies'

/** Scope of a policy or group: all accounts, or one and its sub-accounts. */
export const levelOf = (ownerPaid: Owner): 'Global' | 'Account' => (ownerPaid === '*' ? 'Global' : 'Account')
