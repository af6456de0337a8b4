import { useUser } from './session.ts'

/**
 * Whether the user is a power admin in the tab's account, as the server told it. It shows or hides; the server decides.
 * In the identity area who is none is a power user.
 */
export const useMayAdministerAll = (): boolean => useUser().isPowerAdmin

/** Whether the user is a power admin or a power user in the tab's account. It shows or hides; the server decides. */
export function useMayAdminister(): boolean {
  const { isPowerAdmin, isPowerUser } = useUser()
  return isPowerAdmin || isPowerUser
}
