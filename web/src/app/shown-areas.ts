import { useDeployment } from '#lib/deployment.ts'
import { useUser } from '#lib/session.ts'
import { isAreaShown } from './access.ts'
import { type Area, areas } from './screens.ts'

/** The areas in the user's menus. A module without an address is left out, but for power admins, who can have it set. */
export function useShownAreas(): Area[] {
  const user = useUser()
  const { modules } = useDeployment()
  return areas.filter(
    (area) =>
      isAreaShown(area, user) && (area.module === undefined || modules.includes(area.module) || user.isPowerAdmin),
  )
}
