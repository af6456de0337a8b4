import type { RightHolder } from '@portico/contract/rights'

/** The days, hours and networks of all identities of a holder, in words. */
export function limitsInWords({ identities }: RightHolder): string {
  const limits = identities.map(({ limits: each, rowRule }) =>
    [...each, ...(rowRule === null ? [] : ['some contacts only'])].join(', '),
  )
  return limits.includes('') ? 'None' : limits.join('; or ')
}

/** How a holder has the right: by status, or with conditions. */
export function statusInWords({ isPowerAdmin, isPowerUser, kind }: RightHolder): string {
  if (isPowerAdmin) return 'power admin'
  if (isPowerUser) return 'power user'
  return kind === 'service' ? 'service' : ''
}

export const mayInWords = ({ may }: RightHolder): string => (may === 'always' ? 'Always' : 'Under conditions')
