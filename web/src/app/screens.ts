import type { Feature } from '@portico/contract/features'
import type { ComponentProps, ComponentType } from 'react'
import type IconComponent from '#icons/IconListSearch'
import IconDatabaseExport from '#icons/IconDatabaseExport'
import IconDatabaseImport from '#icons/IconDatabaseImport'
import IconListSearch from '#icons/IconListSearch'

export type Screen = {
  /** Below `/contact-service/`. */
  path: string
  label: string
  /** Without it the user neither sees the entry nor may open the screen. */
  feature: Feature
  Icon: ComponentType<ComponentProps<typeof IconComponent>>
  load: () => Promise<ComponentType>
}

/** The screens of the List Service, in the order of its menu. Each is loaded when it is first opened. */
export const screens: Screen[] = [
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
  },
]

export const listService = '/contact-service'
export const screenPath = (screen: Screen): string => `${listService}/${screen.path}`
