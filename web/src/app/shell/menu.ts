import type { User } from '@portico/contract/identity'
import { listService } from '../screens.ts'

/** An entry of the top bar. `menu` is its name in `preferences.menus`; without one everybody sees it. */
export type MenuEntry = { label: string; path: string; menu?: string }

/** Entries whose screens exist, in the order of specification 1 §2. */
export const menuEntries: MenuEntry[] = [{ label: 'List Service', path: listService, menu: 'contactservice' }]

/**
 * Whether the account's preferences show a menu to the user: its list must exist; empty means everybody, starting
 * with -1 everybody but the listed, any other list only the listed.
 */
export function isMenuVisible(
  { menu }: MenuEntry,
  { email, preferences }: Pick<User, 'email' | 'preferences'>,
): boolean {
  if (menu === undefined) return true
  const list = preferences.menus[menu]
  if (!list) return false
  const isListed = list.some((entry) => entry.toLowerCase() === email.toLowerCase())
  if (list.length === 0) return true
  return list[0] === '-1' ? !isListed : isListed
}
