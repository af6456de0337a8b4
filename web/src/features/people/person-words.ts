import type { Person, PersonDetails, PersonState } from '@portico/contract/people'
import { formatNumber } from '#lib/formats.ts'

export const stateWords = {
  active: 'active',
  'partly-disabled': 'partly disabled',
  disabled: 'disabled',
  invited: 'invited',
} as const satisfies Record<PersonState, string>

export const twoFactorWords = ({ hasTwoFactor }: Pick<Person, 'hasTwoFactor'>): string =>
  hasTwoFactor === null ? 'unknown' : hasTwoFactor ? 'on' : 'off'

/** How many accounts a person is in, such as `3` or `All, and 3`. */
export function accountsInWords({ accounts, isGlobal }: Pick<Person, 'accounts' | 'isGlobal'>): string {
  if (!isGlobal) return formatNumber(accounts)
  return accounts === 0 ? 'All' : `All, and ${formatNumber(accounts)}`
}

/** `3 API credentials`, or `1 API credential`. */
export const counted = (count: number, one: string, many: string): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`

export const credentialCount = ({ identities }: PersonDetails): number =>
  identities.reduce((sum, { apiCredentials }) => sum + apiCredentials.length, 0)

/** The names of the accounts of identities; the global one is in all. */
export const namesOfAccounts = (identities: PersonDetails['identities']): string[] =>
  identities.map(({ account }) => account?.Value ?? 'all accounts (global)')
