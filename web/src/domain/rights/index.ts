/** Actions, conditions and rights in plain words. Loaded by the screens of Identity & Access only. */
export { ActionLabel } from './action-label.tsx'
export { ActionList } from './action-list.tsx'
