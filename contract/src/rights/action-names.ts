import { identityActionNames } from './identity-action-names.ts'

/** The parts of the portal under which actions are listed. */
export const areas = [
  'Contacts',
  'Fields and indexes',
  'Saved filters',
  'Imports',
  'Exports and downloads',
  'Dashboards',
  'Scheduler',
  'Remote access',
  'Account settings',
  'Identity & Access',
] as const
export type RightArea = (typeof areas)[number]

/** An action in plain words: a name such as 'Delete contacts in bulk', and one sentence. */
export type ActionText = { name: string; sentence: string }

/** The actions that calls and features need, by area, in plain words. `action-names.test.ts` keeps it complete. */
export const actionNames = {
  Contacts: {
    'contact-service::offers::get': {
      name: 'Search and view contacts',
      sentence: 'Search, group and count contacts, and open each with its values, events and history.',
    },
    'contact-service::offers::post': {
      name: 'Add contacts',
      sentence: 'Add single contacts, in the portal or through the API.',
    },
    'contact-service::offers::put': {
      name: 'Edit contacts',
      sentence: 'Change single values of a contact, take changes back, and record events.',
    },
    'contact-service::offers::delete': {
      name: 'Delete contacts in bulk',
      sentence: 'Delete all contacts that match a filter, undo such a delete within 30 days, or make it final.',
    },
  },
  'Fields and indexes': {
    'contact-service::fields::get': {
      name: 'View fields',
      sentence: 'See the fields of contacts, estimates of their values, and where each field is used.',
    },
    'contact-service::fields::put': {
      name: 'Change fields',
      sentence: 'Rename fields, change their type, and choose how their numbers are shown.',
    },
    'contact-service::fields::delete': {
      name: 'Delete fields',
      sentence: 'Delete fields with their values, and restore them within 30 days.',
    },
    'contact-service::indexes::get': {
      name: 'View indexes',
      sentence: 'See the indexes with their state, size and use, and estimate new ones.',
    },
    'contact-service::indexes::post': {
      name: 'Build indexes',
      sentence: 'Build indexes on one or two fields, which make searches by them faster.',
    },
    'contact-service::indexes::delete': {
      name: 'Delete indexes',
      sentence: 'Delete indexes that people have built.',
    },
  },
  'Saved filters': {
    'contact-service::rdls::get': {
      name: 'View saved filters',
      sentence: 'See and use the saved filters of the account and those that its parent account shares.',
    },
    'contact-service::rdls::post': {
      name: 'Save filters',
      sentence: 'Save filters under a name, for everyone in the account.',
    },
    'contact-service::rdls::put': {
      name: 'Change saved filters',
      sentence: 'Rename and change the saved filters of the account.',
    },
    'contact-service::rdls::delete': {
      name: 'Delete saved filters',
      sentence: 'Delete the saved filters of the account.',
    },
  },
  Imports: {
    'contact-service::uploads::get': {
      name: 'Upload files',
      sentence: 'Upload files to the portal, for example to import them.',
    },
    'contact-service::imports::get': {
      name: 'View imports',
      sentence: 'See imports with their progress and results, and download the rows they set aside.',
    },
    'contact-service::imports::post': {
      name: 'Import files',
      sentence: 'Preview, review and import uploaded files of contacts or events.',
    },
    'contact-service::imports::put': {
      name: 'Cancel imports',
      sentence: 'Cancel imports that are waiting or running; rows already imported stay.',
    },
    'contact-service::imports::delete': {
      name: 'Undo imports',
      sentence: 'Take back an import within 30 days; this also needs the rights to delete and edit contacts.',
    },
  },
  'Exports and downloads': {
    'contact-service::exports::get': {
      name: 'View exports',
      sentence: 'See exports with their progress, deliveries and file settings.',
    },
    'contact-service::exports::post': {
      name: 'Export contacts',
      sentence: 'Export contacts or groups of them to a file, and have it delivered by email, SFTP or HTTP.',
    },
    'contact-service::exports::put': {
      name: 'Cancel exports and retry deliveries',
      sentence: 'Cancel exports that are waiting or running, and retry deliveries that failed.',
    },
    'contact-service::downloads::get': {
      name: 'Download files',
      sentence: 'See the finished files of the account, and download them.',
    },
  },
  Dashboards: {
    'bi::dashboards::get': {
      name: 'View dashboards',
      sentence: 'Open dashboards that are shared, and narrow what they show; no right to view contacts is needed.',
    },
    'bi::dashboards::post': {
      name: 'Create dashboards',
      sentence: 'Create dashboards and share them with others.',
    },
    'bi::dashboards::put': {
      name: 'Edit dashboards',
      sentence: 'Change one’s own dashboards, restore earlier versions, and take over those whose author has left.',
    },
    'bi::dashboards::delete': {
      name: 'Delete dashboards',
      sentence: 'Delete one’s own dashboards.',
    },
  },
  Scheduler: {
    'scheduler::crons::get': {
      name: 'View crons',
      sentence: 'See the scheduled exports and reports, what they do, and when they run next.',
    },
    'scheduler::crons::post': {
      name: 'Create crons',
      sentence: 'Schedule exports and reports, and test them before they are saved.',
    },
    'scheduler::crons::put': {
      name: 'Change and run crons',
      sentence: 'Change, pause, resume, end and take over crons, run them now, and run past due times again.',
    },
    'scheduler::schedules::get': {
      name: 'View runs of crons',
      sentence: 'See past and current runs in a list or calendar, with their attempts and deliveries.',
    },
  },
  'Remote access': {
    'contact-service::remoteAccess::get': {
      name: 'View remote accesses',
      sentence: 'See which domains and addresses may read contacts, and how often they do.',
    },
    'contact-service::remoteAccess::post': {
      name: 'Open remote access',
      sentence: 'Let a domain or an IP address read public columns of contacts, and try what it would get.',
    },
    'contact-service::remoteAccess::put': {
      name: 'Change remote accesses',
      sentence: 'Change, pause and resume remote accesses, and add or remove custom event fields.',
    },
    'contact-service::remoteAccess::delete': {
      name: 'Delete remote accesses',
      sentence: 'Delete a remote access, so that its domain or address can no longer read contacts.',
    },
  },
  'Account settings': {
    'account::preferences::get': {
      name: 'View preferences',
      sentence: 'See the account’s menus, inactivity timeout and requirement of two-factor.',
    },
    'account::preferences::put': {
      name: 'Change preferences',
      sentence: 'Set the account’s menus, inactivity timeout and requirement of two-factor.',
    },
    'contact-service::configuration::put': {
      name: 'Configure contact data',
      sentence:
        'Set the contact configuration, the defaults of imports, the format of export files and rules for filters.',
    },
    'contact-service::senders::post': {
      name: 'Add senders',
      sentence: 'Ask an address to confirm that the account may send emails from it.',
    },
    'contact-service::senders::delete': {
      name: 'Remove senders',
      sentence: 'Remove an address that the account may send emails from.',
    },
    'contact-service::signingSecret::put': {
      name: 'See the signing secret',
      sentence: 'See the secret by which receivers recognize HTTP notifications of the account.',
    },
    'contact-service::hostKeys::get': {
      name: 'View SFTP host keys',
      sentence: 'See the known host keys of the SFTP servers that files are delivered to.',
    },
    'contact-service::hostKeys::delete': {
      name: 'Forget SFTP host keys',
      sentence: 'Forget the host key of an SFTP server, so that the next delivery learns it again.',
    },
    'contact-service::storage::get': {
      name: 'View storage use',
      sentence: 'See how much disk space the files of the account use.',
    },
  },
  'Identity & Access': identityActionNames,
} as const satisfies Record<RightArea, Record<string, ActionText>>
