import { useUser } from './session.ts'

/**
 * Whether the user is a power admin in the tab's account, as reported by the server. Use it to show or hide; the server
 * decides. In the identity area, users who are not power admins are power users.
 */
export const useMayAdministerAll = (): boolean => useUser().isPowerAdmin

/** Whether the user is a power admin or power user in the tab's account. Use it to show or hide; the server decides. */
export function useMayAdminister(): boolean {
  const { isPowerAdmin, isPowerUser } = useUser()
  return isPowerAdmin || isPowerUser
}
