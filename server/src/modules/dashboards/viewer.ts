import { AppError } from '#platform/app-error.ts'
import type { AccountContext } from '#platform/http/context.ts'

/** The caller who views or changes dashboards, and the account they are in. */
export type Viewer = Pick<AccountContext, 'account' | 'caller' | 'actor' | 'address'>

/**
 * Whether the viewer is a power user, or a power admin who may change dashboards; never with an impersonation link.
 * `id`: the dashboard in question, for conditions on it; lists and new dashboards have none.
 */
export const isAdministrator = ({ caller }: Pick<Viewer, 'caller'>, id?: string): boolean =>
  caller.administers('bi::dashboards::put', { params: id === undefined ? [] : [id], query: {}, body: {} })

/**
 * Only persons can be authors or have favorites.
 * @throws not_allowed for a service identity
 */
export function requirePerson({ caller }: Pick<Viewer, 'caller'>): void {
  if (!caller.isService) return
  throw new AppError(
    'not_allowed',
    undefined,
    'A service identity cannot have dashboards. Use an API credential of a person.',
  )
}
