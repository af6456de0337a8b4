import { isSameCaller } from '@portico/contract/email-address'
import type { User } from '@portico/contract/sign-in'

/**
 * Whether the account's preferences show a menu to the user. Its list must exist: an empty one means everyone, one that
 * starts with -1 everyone except the listed users, any other only the listed users. A menu without a name is always
 * shown.
 */
export function isMenuVisible(
  { menu }: { menu?: string | undefined },
  user: Pick<User, 'email' | 'preferences'>,
): boolean {
  if (menu === undefined) return true
  const list = user.preferences.menus[menu]
  if (!list) return false
  const isListed = list.some((entry) => isSameCaller(entry, user.email))
  if (list.length === 0) return true
  return list[0] === '-1' ? !isListed : isListed
}
