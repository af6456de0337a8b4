/** Actions, conditions and rights in plain words. Loaded by the screens of Identity & Access only. */
export { ActionList } from './action-list.tsx'
export { RightsByArea } from './rights-by-area.tsx'
export { type GivingPolicy, giversFrom } from './givers.ts'
export { GivingPolicies } from './giving-policies.tsx'
