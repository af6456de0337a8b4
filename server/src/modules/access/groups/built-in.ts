// Migration 0002-identity creates these in every installation.

/** Its members do everything in every account, if their identity is global. */
export const administratorsGroup = '00000000-0000-4000-8000-000000000001'
/** Its members do everything in the account of their identity. */
export const powerUsersGroup = '00000000-0000-4000-8000-000000000002'

/** Whether a group or policy is one that every installation starts with. */
export function isBuiltIn(id: string): boolean {
  return /^00000000-0000-4000-8000-00000000000\d$/.test(id)
}
