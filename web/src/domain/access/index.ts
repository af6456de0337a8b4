/** Lists and dialogs that policies, groups and identities share. */
export {
  createGroup,
  type CredentialChange,
  createIdentity,
  createPolicy,
  deleteGroup,
  deleteIdentity,
  deletePolicy,
  endSessions,
  getGroup,
  getIdentity,
  getPolicy,
  inviteIdentity,
  updateGroup,
  updateIdentity,
  updatePolicy,
  useChangeCredential,
  useExplain,
  useRightsOf,
  useGroups,
  useIdentities,
  usePolicies,
  useSave,
} from './access-queries.ts'
export { clock, dayNames, describeDays, describeHours, shortDay } from './access-times.ts'
export {
  type ActionParts,
  joinAction,
  methodChoices,
  resourceChoices,
  serviceChoices,
  splitAction,
} from './action-parts.ts'
export { notifyCancelled, nouns, useBulk } from './bulk.ts'
export { ChooseByName } from './choose-by-name.tsx'
export { DeleteDialog } from './delete-dialog.tsx'
export { editColumn, type RowActions } from './edit-column.tsx'
export { EditDialog } from './edit-dialog.tsx'
export { isEveryone } from './everyone.ts'
export {
  GroupsIntoIdentitiesDialog,
  GroupsToIdentitiesDialog,
  groupsToIdentitiesReason,
} from './groups-to-identities.tsx'
export {
  eligibleGroups,
  identityName,
  identitySchema,
  type IdentityValues,
  inOrderOfWeek,
  newIdentityValues,
  takenEmails,
  toNewIdentity,
} from './identity-rules.ts'
export { ListCard } from './list-card.tsx'
export { describeList } from './list-description.ts'
export { useListState } from './list-state.ts'
export { levelOf } from './ownership.ts'
export { PartSelect } from './part-select.tsx'
export {
  PoliciesIntoGroupsDialog,
  policiesIntoGroupsReason,
  PoliciesToGroupsDialog,
  policiesToGroupsReason,
} from './policies-to-groups.tsx'
export { RowNames } from './row-names.tsx'
export { useSaveForm } from './save-form.ts'
export { namesOf, takenNames } from './unique-names.ts'
