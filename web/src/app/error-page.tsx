import { Button } from '@mantine/core'
import { useRouteError } from 'react-router'
import IconAlertTriangle from '#icons/IconAlertTriangle'
import { messageOf } from '#lib/api/api-error.ts'
import { ScreenLoadError } from './load-screen.ts'
import { MessagePage } from './message-page.tsx'

/** Shown when a screen breaks; the rest of the portal keeps working. */
export function ErrorPage() {
  const error = useRouteError()
  const isLoad = error instanceof ScreenLoadError
  return (
    <MessagePage
      title={isLoad ? 'This part could not be loaded' : 'Something went wrong!'}
      icon={<IconAlertTriangle size={26} />}
      action={<Button onClick={() => window.location.reload()}>Reload the page</Button>}
    >
      {isLoad ? 'The connection may be down, or the portal is being updated. Try again in a moment.' : messageOf(error)}
    </MessagePage>
  )
}
