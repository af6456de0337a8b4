import type { RightHolder } from './rights-queries.ts'

/** The days, hours and networks of all identities of a holder, in words. */
export function limitsInWords({ identities }: RightHolder): string {
  const limits = identities.map(({ limits: each, rowRule }) =>
    [...each, ...(rowRule === null ? [] : ['some contacts only'])].join(', '),
  )
  return limits.includes('') ? 'None' : limits.join('; or ')
}

/** The kind of user that a holder is; empty for people who administer nothing. */
export function statusInWords({ role, kind }: RightHolder): string {
  if (role === 'power-admin') return 'power admin'
  if (role === 'power-user') return 'power user'
  return kind === 'service' ? 'service' : ''
}

export const mayInWords = ({ may }: RightHolder): string => (may === 'always' ? 'Always' : 'Under conditions')
