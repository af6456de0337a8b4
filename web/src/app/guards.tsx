import type { Feature } from '@portico/contract/features'
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { retryRestore, useCan, useSession } from '#lib/session.ts'
import { LoadingPage } from './loading-page.tsx'
import { MessagePage } from './message-page.tsx'
import { NotAllowedPage } from './not-allowed-page.tsx'

/** Lets signed-in users through; others sign in first and come back to where they wanted to go. */
export function RequireSession({ children }: { children: ReactNode }) {
  const session = useSession()
  const { pathname, search, hash } = useLocation()
  if (session.state === 'in') return children
  if (session.state === 'restoring') return <LoadingPage />
  if (session.state === 'unreachable') {
    return (
      <MessagePage
        isWholePage
        title="The portal is not answering"
        action={<Button onClick={retryRestore}>Try again</Button>}
      >
        {session.message}
      </MessagePage>
    )
  }
  const keepsPlace = session.state === 'half' || session.keepsPlace
  return <Navigate to="/" replace state={keepsPlace ? { returnTo: pathname + search + hash } : null} />
}

/** Lets users through who hold the feature in the tab's account; others learn its name. */
export function RequireFeature({ feature, screen }: { feature: Feature; screen: string }) {
  return useCan(feature) ? <Outlet /> : <NotAllowedPage feature={feature} screen={screen} />
}
