import type { User } from '@portico/contract/sign-in'
import { isMenuVisible } from '#lib/session/menus.ts'
import { type Area, areaOf, type Gate, isModulePath, type Screen, screenPath } from './screens.ts'

type Rights = Pick<User, 'policies' | 'isPowerAdmin' | 'isPowerUser' | 'parent'>

/** Whether a gate admits the user. Use it to show or hide; the server decides. */
export function mayPass({ feature, who }: Gate, { policies, isPowerAdmin, isPowerUser, parent }: Rights): boolean {
  if (feature !== undefined && !policies.includes(feature)) return false
  if (who === 'administrator') return isPowerAdmin || isPowerUser
  if (who === 'main-administrator') return isPowerAdmin || (isPowerUser && parent === null)
  return who === undefined || isPowerAdmin
}

/** Whether the top bar shows the area to the user. */
export const isAreaShown = (area: Area, user: User): boolean => mayPass(area, user) && isMenuVisible(area, user)

/** The screens of an area that the user may open, in the order of its menu. */
export const openScreens = (area: Area, user: Rights): Screen[] =>
  (area.screens ?? []).filter((screen) => mayPass(screen, user))

/** Whether the user may open the screen at an address of the portal, which may contain a query. */
export function mayOpen(address: string, user: User): boolean {
  const pathname = pathOf(address)
  const area = areaOf(pathname)
  if (!area) return isModulePath(pathname)
  const screen = screenAt(area, pathname)
  return isAreaShown(area, user) && (!screen || mayPass(screen, user))
}

/** The corresponding place in another account: for a record, which belongs to one account, its screen. */
export function placeBeyondAccounts(address: string): string {
  const pathname = pathOf(address)
  const area = areaOf(pathname)
  const screen = area && screenAt(area, pathname)
  return area && screen ? screenPath(area, screen) : address
}

const pathOf = (address: string): string => address.replace(/[?#].*/s, '').toLowerCase()

/** The screen of a path: its own, or that of one of its records. */
const screenAt = (area: Area, pathname: string): Screen | undefined =>
  area.screens?.find((one) => `${pathname}/`.startsWith(`${screenPath(area, one)}/`))
