import { AppError } from '#platform/app-error.ts'
import type { AccountContext } from '#platform/http/context.ts'

/** The person who asks, and the account they are in. */
export type Viewer = Pick<AccountContext, 'account' | 'caller' | 'actor' | 'address'>

/**
 * Power users, and power admins who may change dashboards; never by an impersonation link. `id`: of the dashboard that it is
 * about, for conditions on it; lists and new dashboards have none.
 */
export const isAdministrator = ({ caller }: Pick<Viewer, 'caller'>, id?: string): boolean =>
  caller.administers('bi::dashboards::put', { params: id === undefined ? [] : [id], query: {}, body: {} })

/** Authors and favourites are those of persons. @throws not_allowed for a service identity */
export function requirePerson({ caller }: Pick<Viewer, 'caller'>): void {
  if (!caller.isService) return
  throw new AppError(
    'not_allowed',
    undefined,
    'A service identity cannot have dashboards. Use an API credential of a person.',
  )
}
