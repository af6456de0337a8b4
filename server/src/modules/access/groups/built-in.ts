import { foldName } from '@portico/domain/names'
import { everyone } from '@portico/contract/policies'

// Migration 0002-identity creates these in every installation.

/** Members with a global identity may do everything in every account. */
export const administratorsGroup = '00000000-0000-4000-8000-000000000001'
/** Members may do everything in the account of their identity. */
export const powerUsersGroup = '00000000-0000-4000-8000-000000000002'

/** Every identity in an account belongs to the group of this name without being assigned to it. */
export function isEveryone({ name }: { name: string }): boolean {
  return foldName(name) === everyone
}

/** Whether the group or policy is present in every installation from the start. */
export function isBuiltIn(id: string): boolean {
  return /^00000000-0000-4000-8000-00000000000\d$/.test(id)
}
