import { Navigate } from 'react-router'
import IconLock from '#icons/IconLock'
import { useUser } from '#lib/session.ts'
import { MessagePage } from './message-page.tsx'
import { screenPath, screens } from './screens.ts'

/** The first screen that the user may open. */
export function ListServiceHome() {
  const { policies } = useUser()
  const first = screens.find(({ feature }) => policies.includes(feature))
  if (first) return <Navigate to={screenPath(first)} replace />
  return (
    <MessagePage title="Nothing to open here yet" icon={<IconLock size={26} />}>
      You hold none of the features of the List Service in this account (
      {screens.map(({ feature }) => feature).join(', ')}
      ). Contact your admin to see how you can get this feature.
    </MessagePage>
  )
}
