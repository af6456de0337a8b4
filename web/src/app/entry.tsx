import { isSameCaller } from '@portico/contract/email-address'
import type { User } from '@portico/contract/sign-in'
import { Navigate, Outlet, useLocation } from 'react-router'
import { paths } from '#lib/paths.ts'
import { useSession } from '#lib/session/session.ts'
import { lastPageOf } from '#lib/session/session-store.ts'
import { useSetting } from '#lib/settings.ts'
import { mayOpen } from './access.ts'
import { LoadingPage } from './loading-page.tsx'
import { SessionTrouble } from './session-trouble.tsx'

/** The place that a sign-in returns to. If it has an owner, only they do; the next person does not learn of it. */
export type ReturnPlace = { returnTo: string; owner?: string }

/**
 * `/`: the sign-in. Signed-in users continue to the page they asked for, else to the last page viewed if the setting is
 * on and they may open it here, else home.
 */
export function Entry() {
  const session = useSession()
  const [keepsLast] = useSetting('keepLastPageViewed')
  // Only the portal's own guard sets this state, and it names a path of the portal.
  const place = useLocation().state as Partial<ReturnPlace> | null
  if (session.state === 'restoring') return <LoadingPage />
  if (session.state === 'unreachable' || session.state === 'refused') return <SessionTrouble session={session} />
  if (session.state !== 'in') return <Outlet />
  const isTheirs = place?.owner === undefined || isSameCaller(place.owner, session.user.email)
  return <Navigate to={(isTheirs && place?.returnTo) || landingPath(session.user, keepsLast)} replace />
}

function landingPath(user: User, keepsLast: boolean): string {
  const last = keepsLast ? lastPageOf(user.email) : null
  return last !== null && mayOpen(last, user) ? last : paths.home()
}
