/** The actions of Identity & Access in plain words, for `action-names.ts`. */
export const identityActionNames = {
  'identity::identities::get': {
    name: 'View identities',
    sentence: 'See identities, what each may do and why, and who may do something.',
  },
  'identity::identities::post': {
    name: 'Add identities',
    sentence: 'Invite people to the account, and create service identities.',
  },
  'identity::identities::put': {
    name: 'Change identities',
    sentence: 'Change the groups, times and networks of identities, disable them, and hand them over.',
  },
  'identity::identities::delete': {
    name: 'Delete identities',
    sentence: 'Delete identities, which ends their sessions at once.',
  },
  'identity::sessions::delete': {
    name: 'Sign people out',
    sentence: 'End the sessions and impersonation links of a person.',
  },
  'identity::credentials::put': {
    name: 'Manage API credentials',
    sentence: 'Create, deactivate, reactivate and delete API credentials.',
  },
  'identity::people::get': {
    name: 'View people',
    sentence: 'See people across accounts, with their identities, sessions, API credentials and impersonation links.',
  },
  'identity::people::put': {
    name: 'Act on people',
    sentence:
      'Disable and enable people across accounts, sign them out, end their secrets, and hand over what they own.',
  },
  'identity::people::delete': {
    name: 'Remove people from accounts',
    sentence: 'Delete identities of a person in several accounts at once.',
  },
  'identity::policies::get': {
    name: 'View policies',
    sentence: 'See policies with their actions and conditions.',
  },
  'identity::policies::post': {
    name: 'Create policies',
    sentence: 'Create policies, of rights that one holds oneself.',
  },
  'identity::policies::put': {
    name: 'Change policies',
    sentence: 'Change policies, with effect at once for everyone who holds them.',
  },
  'identity::policies::delete': {
    name: 'Delete policies',
    sentence: 'Delete policies that no group holds.',
  },
  'identity::groups::get': {
    name: 'View groups',
    sentence: 'See groups with their policies.',
  },
  'identity::groups::post': {
    name: 'Create groups',
    sentence: 'Create groups, of policies that one holds oneself.',
  },
  'identity::groups::put': {
    name: 'Change groups',
    sentence: 'Change the policies of groups, with effect at once for everyone in them.',
  },
  'identity::groups::delete': {
    name: 'Delete groups',
    sentence: 'Delete groups that have no identities.',
  },
  'identity::impersonations::get': {
    name: 'View impersonation links',
    sentence: 'See the active impersonation links of the account.',
  },
  'identity::impersonations::post': {
    name: 'Create impersonation links',
    sentence: 'Create links that open the portal with one’s own rights, or some of them, for a limited time.',
  },
  'identity::impersonations::delete': {
    name: 'Revoke impersonation links',
    sentence: 'End impersonation links before their time.',
  },
  'identity::audit::get': {
    name: 'Read the audit log',
    sentence: 'Read the audit log of the account, and export it to a file.',
  },
  'identity::accounts::get': {
    name: 'View all accounts',
    sentence: 'See all accounts of the portal.',
  },
  'identity::accounts::post': {
    name: 'Create accounts',
    sentence: 'Create accounts, and invite the first power user of each.',
  },
  'identity::accounts::put': {
    name: 'Change accounts',
    sentence: 'Rename, suspend and resume accounts, and change their time zone.',
  },
} as const
