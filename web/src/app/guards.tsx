import type { ReactNode } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { paths } from '#lib/paths.ts'
import { isMenuVisible } from '#lib/session/menus.ts'
import { isInside, useSession, useUser } from '#lib/session/session.ts'
import { ownerOfPlace } from '#lib/session/session-store.ts'
import { mayPass } from './access.ts'
import type { ReturnPlace } from './entry.tsx'
import { HiddenPage } from './hidden-page.tsx'
import { LoadingPage } from './loading-page.tsx'
import { LockedPage } from './locked-page.tsx'
import { StepUpDialog } from './requirement-dialog.tsx'
import { NotAllowedPage } from './not-allowed-page.tsx'
import type { Gate } from './screens.ts'
import { SessionTrouble } from './session-trouble.tsx'

/**
 * Lets signed-in users through; others sign in first and return to the page they asked for. A locked page stays mounted
 * under the password dialog.
 */
export function RequireSession({ children }: { children: ReactNode }) {
  const session = useSession()
  const { pathname, search, hash } = useLocation()
  if (isInside(session)) {
    return (
      <>
        {children}
        {session.state === 'locked' && <LockedPage />}
        {session.state === 'in' && <StepUpDialog email={session.user.email} />}
      </>
    )
  }
  if (session.state === 'restoring') return <LoadingPage />
  if (session.state === 'unreachable' || session.state === 'refused') return <SessionTrouble session={session} />
  const keepsPlace = session.state === 'half' || session.keepsPlace
  const owner = ownerOfPlace()
  const place: ReturnPlace = { returnTo: pathname + search + hash, ...(owner !== null && { owner }) }
  return <Navigate to={paths.entry()} replace state={keepsPlace ? place : null} />
}

type RequireGateProps = {
  gate: Gate
  /** Name of the area's entry in `preferences.menus`. */
  menu?: string | undefined
  screen: string
}

/**
 * Shows the screen to users that the gate admits in the tab's account; others see the missing right. An area hidden by
 * the account's preferences does not open by its address either (ADR 0051).
 */
export function RequireGate({ gate, menu, screen }: RequireGateProps) {
  const user = useUser()
  if (!mayPass(gate, user)) return <NotAllowedPage gate={gate} screen={screen} />
  return isMenuVisible({ menu }, user) ? <Outlet /> : <HiddenPage screen={screen} />
}
