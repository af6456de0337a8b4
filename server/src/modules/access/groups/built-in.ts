// Migration 0002-identity creates these in every installation.

/** Members with a global identity may do everything in every account. */
export const administratorsGroup = '00000000-0000-4000-8000-000000000001'
/** Members may do everything in the account of their identity. */
export const powerUsersGroup = '00000000-0000-4000-8000-000000000002'

/** Whether every installation starts with this group or policy. */
export function isBuiltIn(id: string): boolean {
  return /^00000000-0000-4000-8000-00000000000\d$/.test(id)
}
