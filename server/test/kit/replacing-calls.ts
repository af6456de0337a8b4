import { api } from '@portico/contract/api'
import type { Route } from '@portico/contract/route'

// The calls that replace something that a form has shown: each takes a version, and browser tests cover its form.

export type CallName = keyof typeof api

/** PUT calls that do not write back anything that was read before, each with its reason. */
export const unversioned: Partial<Record<CallName, string>> = {
  setFavouriteDashboard: 'a choice of its own for each person, on or off',
  setFavouriteSegment: 'a choice of its own for each person, on or off',
  changePassword: 'asks for the current password',
  changeCredential: 'one act on one credential; nothing that it has is edited',
  changeOwnCredential: 'one act on one credential; nothing that it has is edited',
  setPersonState: 'one act on all identities of a person; nothing that they have is edited',
  renamePasskey: 'only its owner names a passkey, which has nothing else to edit',
  putFile: 'a signed link takes one upload',
  editOffer: 'names the values that were read, each with its new one',
  changeFieldType: 'one act, which is refused while the type is being changed; the values stay as they are written',
  cancelExport: 'one act, which is refused once the export has ended',
  cancelImport: 'one act, which is refused once the import has ended',
}

/** POST calls that replace something, as clients of the specification call them. */
export const replacingPosts: CallName[] = ['setAccountPreference']

export const replacing = (Object.entries(api) as [CallName, Route][])
  .filter(([name, { method }]) => method === 'PUT' || replacingPosts.includes(name))
  .filter(([name]) => !(name in unversioned))
