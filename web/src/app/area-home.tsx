import { Navigate } from 'react-router'
import IconLock from '#icons/IconLock'
import { useUser } from '#lib/session/session.ts'
import { openScreens } from './access.ts'
import { MessagePage } from './message-page.tsx'
import { type Area, screenPath } from './screens.ts'

/** The first screen of the area that the user may open and that has no entry in the top bar. */
export function AreaHome({ area }: { area: Area }) {
  const screens = openScreens(area, useUser())
  const first = screens.find(({ isAlsoInBar }) => !isAlsoInBar) ?? screens[0]
  if (first) return <Navigate to={screenPath(area, first)} replace />
  const features = (area.screens ?? []).flatMap(({ feature }) => feature ?? [])
  return (
    <MessagePage title="Nothing to open here yet" icon={<IconLock size={26} />}>
      You hold none of the features of the {area.label} in this account ({features.join(', ')}). Contact your admin to
      see how you can get this feature.
    </MessagePage>
  )
}
