/** A policy to start from: its name, what it is for, and its actions. It has no conditions. */
export type PolicyTemplate = { name: string; sentence: string; isAdmin: boolean; actions: readonly string[] }

const viewing = ['contact-service::offers::get', 'contact-service::rdls::get', 'contact-service::fields::get']
const exporting = [
  'contact-service::exports::get',
  'contact-service::exports::post',
  'contact-service::exports::put',
  'contact-service::downloads::get',
]

/** Templates of the policy editor, from few rights to all. */
export const policyTemplates: readonly PolicyTemplate[] = [
  {
    name: 'Dashboard viewer',
    sentence: 'Opens dashboards that are shared, without a right to the contacts themselves.',
    isAdmin: false,
    actions: ['bi::dashboards::get'],
  },
  {
    name: 'Viewer',
    sentence: 'Searches and views contacts, saved filters, fields and dashboards, and changes nothing.',
    isAdmin: false,
    actions: [...viewing, 'bi::dashboards::get'],
  },
  {
    name: 'Importer',
    sentence: 'Uploads and imports files, and sees what became of them.',
    isAdmin: false,
    actions: [
      'contact-service::uploads::get',
      'contact-service::imports::get',
      'contact-service::imports::post',
      'contact-service::imports::put',
      'contact-service::fields::get',
    ],
  },
  {
    name: 'Exporter',
    sentence: 'Searches contacts, and exports and downloads them.',
    isAdmin: false,
    actions: [...viewing, ...exporting],
  },
  {
    name: 'Analyst',
    sentence: 'Searches contacts, saves filters, and builds dashboards.',
    isAdmin: false,
    actions: [
      'contact-service::offers::get',
      'contact-service::fields::get',
      'contact-service::rdls::*',
      'bi::dashboards::*',
    ],
  },
  {
    name: 'Contact editor',
    sentence: 'Adds and edits single contacts, and deletes none in bulk.',
    isAdmin: false,
    actions: [...viewing, 'contact-service::offers::post', 'contact-service::offers::put'],
  },
  {
    name: 'Campaign manager',
    sentence: 'Saves filters, exports contacts, and schedules exports and reports.',
    isAdmin: false,
    actions: [
      'contact-service::offers::get',
      'contact-service::fields::get',
      'contact-service::rdls::*',
      ...exporting,
      'bi::dashboards::*',
      'scheduler::*::*',
    ],
  },
  {
    name: 'Data manager',
    sentence: 'Does everything with contact data: imports, exports, fields, indexes, deletes and remote access.',
    isAdmin: false,
    actions: ['contact-service::*::*'],
  },
  {
    name: 'Account admin',
    sentence: 'Does everything in the account, and makes its holders power users.',
    isAdmin: false,
    actions: ['*::*::*'],
  },
  {
    name: 'Read-only admin',
    sentence: 'For groups of power admins: sees everything in all accounts, and changes nothing.',
    isAdmin: true,
    actions: ['*::*::get'],
  },
]
