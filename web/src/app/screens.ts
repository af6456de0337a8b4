import type { Feature } from '@portico/contract/features'
import type { ComponentProps, ComponentType } from 'react'
import { paths } from '#lib/paths.ts'
import type IconComponent from '#icons/IconListSearch'
import IconAddressBook from '#icons/IconAddressBook'
import IconAdjustmentsAlt from '#icons/IconAdjustmentsAlt'
import IconBinaryTree from '#icons/IconBinaryTree'
import IconBuilding from '#icons/IconBuilding'
import IconChartHistogram from '#icons/IconChartHistogram'
import IconDatabaseExport from '#icons/IconDatabaseExport'
import IconDatabaseImport from '#icons/IconDatabaseImport'
import IconDownload from '#icons/IconDownload'
import IconHeartHandshake from '#icons/IconHeartHandshake'
import IconHistory from '#icons/IconHistory'
import IconForms from '#icons/IconForms'
import IconHome from '#icons/IconHome'
import IconLayoutDashboard from '#icons/IconLayoutDashboard'
import IconLink from '#icons/IconLink'
import IconListDetails from '#icons/IconListDetails'
import IconListSearch from '#icons/IconListSearch'
import IconPhoto from '#icons/IconPhoto'
import IconSettings from '#icons/IconSettings'
import IconShieldLock from '#icons/IconShieldLock'
import IconSpeakerphone from '#icons/IconSpeakerphone'
import IconTrash from '#icons/IconTrash'
import IconUser from '#icons/IconUser'
import IconUserQuestion from '#icons/IconUserQuestion'
import IconUsers from '#icons/IconUsers'
import IconUsersGroup from '#icons/IconUsersGroup'
import IconWorldShare from '#icons/IconWorldShare'

// Every area and screen of the portal, in one table: the top bar, the side menu, the routes, the command palette and
// the account picker all read it. A new screen is one entry here.

/** Requirements to open a screen or an area, beyond being signed in to an account. */
export type Gate = {
  /** Checked in the tab's account; without it the user neither sees the entry nor may open the screen. */
  feature?: Feature
  /** `administrator` = power admin or power user; `main-administrator` = the same, but no power user in a sub-account. */
  who?: 'administrator' | 'main-administrator' | 'power-admin'
}

type Icon = ComponentType<ComponentProps<typeof IconComponent>>
/** Loads a screen's code when it is first opened. */
type Load = () => Promise<ComponentType>

/** A screen of an area, with its entry in the area's side menu. */
export type Screen = Gate & {
  /** Below the area's path. */
  path: string
  label: string
  /** The heading, unless it is the label. */
  title?: string
  Icon: Icon
  load: Load
  /** Loads the page of one of its records, by the id in the address. */
  loadOne?: Load
  /** Also has an entry in the top bar; the area opens with another screen if there is one. */
  isAlsoInBar?: true
}

/** An entry of the top bar and the screens below it. */
export type Area = Gate & {
  /** Begins with a slash. */
  path: string
  label: string
  Icon: Icon
  /** Its name in `preferences.menus`, which may hide the entry; without a name all users see it. */
  menu?: string
  /** Shows the page that the installation configures in `MODULE_URLS` under this id; has no page of its own. */
  module?: string
  /** Loads the area's own page; by default the first screen that the user may open. */
  load?: Load
  /** An area with screens has a side menu. */
  screens?: Screen[]
}

export const loadModule: Load = async () => (await import('#features/modules')).ModulePage

const listService: Area = {
  path: paths.listService(),
  label: 'List Service',
  Icon: IconAddressBook,
  menu: 'contactservice',
  screens: [
    {
      path: 'dashboards',
      label: 'Dashboards',
      feature: 'contact-dashboards-list',
      isAlsoInBar: true,
      Icon: IconLayoutDashboard,
      load: async () => (await import('#features/dashboards')).DashboardsPage,
    },
    {
      path: 'imports',
      label: 'Imports',
      feature: 'contact-import-list',
      Icon: IconDatabaseImport,
      load: async () => (await import('#features/imports')).ImportsPage,
    },
    {
      path: 'exports',
      label: 'Exports',
      feature: 'contact-export-list',
      Icon: IconDatabaseExport,
      load: async () => (await import('#features/exports')).ExportsPage,
    },
    {
      path: 'documents',
      label: 'Search & Analyze',
      feature: 'contact-offers-list',
      Icon: IconListSearch,
      load: async () => (await import('#features/contacts')).ContactsPage,
      loadOne: async () => (await import('#features/contacts')).ContactPage,
    },
    {
      path: 'segments',
      label: 'Segments',
      feature: 'contact-rdls-list',
      Icon: IconUsersGroup,
      load: async () => (await import('#features/segments')).SegmentsPage,
      loadOne: async () => (await import('#features/segments')).SegmentPage,
    },
    {
      path: 'deletes',
      label: 'Deletes',
      feature: 'contact-deletes-list',
      Icon: IconTrash,
      load: async () => (await import('#features/deletes')).DeletesPage,
    },
    {
      path: 'fields',
      label: 'Fields',
      feature: 'contact-fields-list',
      Icon: IconForms,
      load: async () => (await import('#features/fields')).FieldsPage,
    },
    {
      path: 'indexes',
      label: 'Indexes',
      feature: 'contact-indexes-list',
      Icon: IconBinaryTree,
      load: async () => (await import('#features/indexes')).IndexesPage,
    },
    {
      path: 'access',
      label: 'Remote Accesses',
      feature: 'contact-access-list',
      Icon: IconWorldShare,
      load: async () => (await import('#features/remote-access')).RemoteAccessPage,
    },
  ],
}

const identityAndAccess: Area = {
  path: paths.iam(),
  label: 'Identity & Access',
  who: 'administrator',
  Icon: IconShieldLock,
  screens: [
    {
      path: 'home',
      label: 'Overview',
      title: 'Identity & Access',
      Icon: IconHome,
      load: async () => (await import('#features/iam-home')).IamHomePage,
    },
    {
      path: 'people',
      label: 'People',
      who: 'main-administrator',
      Icon: IconUsers,
      load: async () => (await import('#features/people')).PeoplePage,
      loadOne: async () => (await import('#features/people')).PersonPage,
    },
    {
      path: 'identities',
      label: 'Identities',
      Icon: IconUser,
      load: async () => (await import('#features/identities')).IdentitiesPage,
    },
    {
      path: 'groups',
      label: 'Groups',
      Icon: IconUsersGroup,
      load: async () => (await import('#features/groups')).GroupsPage,
    },
    {
      path: 'policies',
      label: 'Policies',
      Icon: IconShieldLock,
      load: async () => (await import('#features/policies')).PoliciesPage,
    },
    {
      path: 'rights',
      label: 'Who Can…?',
      Icon: IconUserQuestion,
      load: async () => (await import('#features/rights')).RightHoldersPage,
    },
    {
      path: 'impersonation',
      label: 'Impersonation',
      Icon: IconLink,
      load: async () => (await import('#features/impersonation')).ImpersonationPage,
    },
    {
      path: 'settings',
      label: 'Settings',
      Icon: IconSettings,
      load: async () => (await import('#features/user-settings')).UserSettingsPage,
    },
    {
      path: 'preferences',
      label: 'Preferences',
      Icon: IconAdjustmentsAlt,
      load: async () => (await import('#features/preferences')).PreferencesPage,
    },
    {
      path: 'list-service-configuration',
      label: 'List Service Configuration',
      Icon: IconListDetails,
      load: async () => (await import('#features/list-service-configuration')).ListServiceConfigurationPage,
    },
    {
      path: 'audit',
      label: 'Audit',
      Icon: IconHistory,
      load: async () => (await import('#features/audit')).AuditPage,
    },
    {
      path: 'accounts',
      label: 'Accounts',
      who: 'power-admin',
      Icon: IconBuilding,
      load: async () => (await import('#features/accounts')).AccountsPage,
    },
  ],
}

/** A page of another product in a frame, or the portal's own if no address is configured. */
const module = (id: string, label: string, menu: string, Icon: Icon, load = loadModule): Area => ({
  path: paths.module(id),
  label,
  menu,
  Icon,
  load,
  ...(load === loadModule && { module: id }),
})

/** In the order of the top bar (specification 1 §2). */
export const areas: Area[] = [
  { path: paths.home(), label: 'Home', Icon: IconHome, load: async () => (await import('#features/home')).HomePage },
  {
    path: paths.dashboards(),
    label: 'Dashboards',
    Icon: IconLayoutDashboard,
    load: async () => (await import('#features/dashboards')).SharedDashboardsPage,
  },
  module('objectives', 'Campaigns', 'campaigns', IconSpeakerphone),
  module('assets', 'Assets', 'assets', IconPhoto),
  module('crm', 'CRM', 'crm', IconHeartHandshake),
  module('market-intel', 'Market Intel', 'marketintel', IconChartHistogram),
  {
    path: paths.downloads(),
    label: 'Downloads',
    Icon: IconDownload,
    load: async () => (await import('#features/downloads')).DownloadsPage,
  },
  listService,
  identityAndAccess,
  module(
    'settings',
    'Settings',
    'settings',
    IconSettings,
    async () => (await import('./settings-module.tsx')).SettingsModule,
  ),
]

export const screenPath = (area: Area, screen: Screen): string => `${area.path}/${screen.path}`

/** The area that an address belongs to. */
export function areaOf(pathname: string): Area | undefined {
  const asked = pathname.toLowerCase()
  return areas.find(({ path }) => asked === path || asked.startsWith(`${path}/`))
}

export const isModulePath = (pathname: string): boolean => pathname.toLowerCase().startsWith(paths.module(''))
