import { useDeployment } from '#lib/deployment.ts'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { useUser } from '#lib/session/session.ts'
import { isAreaShown } from './access.ts'
import { type Area, areas } from './screens.ts'

/** The areas in the user's menus. Modules without an address are shown to power admins only, who can have it set. */
export function useShownAreas(): Area[] {
  const user = useUser()
  const { modules } = useDeployment()
  const mayAdministerAll = useMayAdministerAll()
  return areas.filter(
    (area) =>
      isAreaShown(area, user) && (area.module === undefined || modules.includes(area.module) || mayAdministerAll),
  )
}
