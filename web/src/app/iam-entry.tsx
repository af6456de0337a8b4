import { Navigate, useLocation, useSearchParams } from 'react-router'
import { useUser } from '#lib/session/session.ts'
import { useSetting } from '#lib/settings.ts'
import { openScreens } from './access.ts'
import { iamEntryTarget } from './iam-entry-target.ts'
import { areaOf, screenPath } from './screens.ts'

/** `/iam` itself: leads to the screen that the address names, else to the last page viewed. */
export function IamEntry() {
  const [params] = useSearchParams()
  const { pathname } = useLocation()
  const [last] = useSetting('lastPageViewed')
  const user = useUser()
  const area = areaOf(pathname)
  const paths = area ? openScreens(area, user).map((screen) => screenPath(area, screen)) : []
  return <Navigate to={iamEntryTarget(params, last, paths)} replace />
}
