import type { DemoAccess, DemoPerson, DemoPolicy, DemoService } from './demo-account.ts'

/** Global policies. */
export const globalPolicies: readonly (DemoPolicy & { isAdmin?: true })[] = [
  {
    name: 'Contacts: read',
    actions: [
      'contact-service::offers::get',
      'contact-service::rdls::get',
      'contact-service::imports::get',
      'contact-service::exports::get',
    ],
  },
  {
    name: 'Contacts: import and export',
    actions: [
      'contact-service::imports::*',
      'contact-service::uploads::*',
      'contact-service::exports::*',
      'contact-service::downloads::get',
    ],
  },
  // In no group, so it can be deleted.
  { name: 'Contacts: send files', actions: ['contact-service::uploads::*'] },
  { name: 'Contacts: delete', actions: ['contact-service::offers::delete'] },
  { name: 'Contacts: indexes', actions: ['contact-service::indexes::*'] },
  { name: 'Remote access', actions: ['contact-service::remoteAccess::*'] },
  { name: 'Dashboards: view', actions: ['bi::dashboards::get', 'bi::reports::get', 'bi::downloads::get'] },
  { name: 'Dashboards: design', actions: ['bi::*::*'] },
  { name: 'Schedules', actions: ['scheduler::crons::*', 'scheduler::schedules::get'] },
  { name: 'Portal support', actions: ['contact-service::*::get', 'bi::*::get', 'scheduler::*::get'], isAdmin: true },
]

/** Global groups: group name → names of its policies. */
export const globalGroups: Readonly<Record<string, readonly string[]>> = {
  Analysts: ['Contacts: read', 'Dashboards: design'],
  'Marketing team': ['Contacts: read', 'Contacts: import and export', 'Schedules', 'Dashboards: view'],
  'Data stewards': ['Contacts: read', 'Contacts: delete', 'Contacts: indexes'],
  'Web developers': ['Contacts: read', 'Remote access'],
  'Read only': ['Contacts: read', 'Dashboards: view'],
}

/** Global groups of administrators. */
export const globalAdminGroups: Readonly<Record<string, readonly string[]>> = { 'Support staff': ['Portal support'] }

export const northwindAccess: DemoAccess = {
  policies: [
    {
      name: 'Loyalty lists as CSV',
      actions: ['contact-service::exports::post'],
      conditions: ['body::delimiter::eq::csv', 'body::name::ct::loyal'],
    },
  ],
  groups: { 'Northwind store managers': ['Contacts: read', 'Loyalty lists as CSV'] },
}

export const harborAccess: DemoAccess = {
  policies: [
    {
      name: 'Short lists of donors',
      actions: ['contact-service::offers::get'],
      conditions: ['query::limit::in::5,10,15'],
    },
  ],
  groups: { 'Harbor volunteers': ['Short lists of donors'], 'Harbor fundraisers': ['Contacts: read', 'Schedules'] },
}

const weekdays: DemoPerson['limits'] = { days: ['mon', 'tue', 'wed', 'thu', 'fri'], daysEffect: 'in' }
const officeHours = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17]

export const northwindPeople: readonly DemoPerson[] = [
  {
    name: 'Dana Whitfield',
    email: 'dana.whitfield@northwind.example',
    groups: ['Power users'],
    limits: { accessToAllSubAccounts: true },
  },
  {
    name: 'Marcus Oyelaran',
    email: 'marcus.oyelaran@northwind.example',
    groups: ['Analysts', 'Data stewards'],
    limits: { accessToAllSubAccounts: true },
  },
  { name: 'Priya Raman', email: 'priya.raman@northwind.example', groups: ['Read only'], isInvited: true },
]

export const northwindUsPeople: readonly DemoPerson[] = [
  { name: 'Caleb Ortiz', email: 'caleb.ortiz@northwind.example', groups: ['Power users'] },
  {
    name: 'Hannah Price',
    email: 'hannah.price@northwind.example',
    groups: ['Marketing team'],
    limits: { ...weekdays },
  },
  {
    name: 'Jo Lindqvist',
    email: 'jo.lindqvist@northwind.example',
    groups: ['Northwind store managers'],
    limits: { hours: officeHours, hoursEffect: 'in' },
  },
  { name: 'Ray Dunmore', email: 'ray.dunmore@northwind.example', groups: ['Analysts'], limits: { isDisabled: true } },
  { name: 'Sofia Castellanos', email: 'sofia.castellanos@northwind.example', groups: ['Analysts'], isInvited: true },
]

export const northwindUsServices: readonly DemoService[] = [
  {
    name: 'Web shop',
    groups: ['Web developers', 'Marketing team'],
    credentials: { count: 2, isLastOff: true },
    limits: { cidr: '203.0.113.0/24' },
  },
]

export const northwindEuropePeople: readonly DemoPerson[] = [
  { name: 'Annika Brandt', email: 'annika.brandt@northwind.example', groups: ['Power users'] },
  {
    name: 'Luc Moreau',
    email: 'luc.moreau@northwind.example',
    groups: ['Marketing team', 'Northwind store managers'],
    limits: { days: ['sat', 'sun'], daysEffect: 'nin', hours: [0, 1, 2, 3, 4, 5], hoursEffect: 'nin' },
  },
]

export const northwindEuropeServices: readonly DemoService[] = [
  {
    name: 'Trade fair scanner',
    groups: ['Marketing team'],
    credentials: { count: 1 },
    limits: { cidr: '2001:db8:20::/48' },
  },
]

export const harborPeople: readonly DemoPerson[] = [
  {
    name: 'Eleanor Voss',
    email: 'eleanor.voss@harbor.example',
    groups: ['Power users'],
    limits: { accessToAllSubAccounts: true },
  },
  { name: 'Tomás Aguilar', email: 'tomas.aguilar@harbor.example', groups: ['Analysts'], limits: { ...weekdays } },
]

export const harborFundPeople: readonly DemoPerson[] = [
  { name: 'Grace Okafor', email: 'grace.okafor@harbor.example', groups: ['Power users'] },
  { name: 'Ben Sorensen', email: 'ben.sorensen@harbor.example', groups: ['Harbor fundraisers'] },
  { name: 'Nina Kowalski', email: 'nina.kowalski@harbor.example', groups: ['Harbor volunteers'], isInvited: true },
]

export const harborFundServices: readonly DemoService[] = [
  { name: 'Mail house', groups: ['Marketing team'], credentials: { count: 1 } },
]

export const harborEventsPeople: readonly DemoPerson[] = [
  { name: 'Theo Nakamura', email: 'theo.nakamura@harbor.example', groups: ['Power users'] },
  {
    name: 'Race day desk',
    email: 'raceday@harbor.example',
    groups: ['Harbor volunteers'],
    limits: { days: ['sat', 'sun'], daysEffect: 'in' },
  },
]
