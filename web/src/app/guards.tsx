import type { ReactNode } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { isInside, useSession, useUser } from '#lib/session.ts'
import { ownerOfPlace } from '#lib/session-store.ts'
import { mayPass } from './access.ts'
import type { ReturnPlace } from './entry.tsx'
import { LoadingPage } from './loading-page.tsx'
import { LockedPage } from './locked-page.tsx'
import { OwedDialog } from './owed-dialog.tsx'
import { NotAllowedPage } from './not-allowed-page.tsx'
import type { Gate } from './screens.ts'
import { SessionTrouble } from './session-trouble.tsx'

/**
 * Lets signed-in users through; others sign in first and come back to where they wanted to go. A locked page stays as it
 * is, under the question for the password.
 */
export function RequireSession({ children }: { children: ReactNode }) {
  const session = useSession()
  const { pathname, search, hash } = useLocation()
  if (isInside(session)) {
    return (
      <>
        {children}
        {session.state === 'locked' && <LockedPage />}
        {session.state === 'in' && <OwedDialog email={session.user.email} />}
      </>
    )
  }
  if (session.state === 'restoring') return <LoadingPage />
  if (session.state === 'unreachable' || session.state === 'refused') return <SessionTrouble session={session} />
  const keepsPlace = session.state === 'half' || session.keepsPlace
  const owner = ownerOfPlace()
  const place: ReturnPlace = { returnTo: pathname + search + hash, ...(owner !== null && { owner }) }
  return <Navigate to="/" replace state={keepsPlace ? place : null} />
}

/** Lets users through whom the gate lets pass in the tab's account; others learn what is missing. */
export function RequireGate({ gate, screen }: { gate: Gate; screen: string }) {
  return mayPass(gate, useUser()) ? <Outlet /> : <NotAllowedPage gate={gate} screen={screen} />
}
