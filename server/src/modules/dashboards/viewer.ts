import type { AccountContext } from '#platform/http/context.ts'

/** The person who asks, and the account they are in. */
export type Viewer = Pick<AccountContext, 'account' | 'caller' | 'actor' | 'address'>

/** Power users and power admins; never by an impersonation link. */
export const isAdministrator = ({ caller }: Pick<Viewer, 'caller'>): boolean =>
  caller.kind !== 'impersonation' && (caller.isPowerUser || caller.isPowerAdmin)
