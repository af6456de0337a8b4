import type { Feature } from '@portico/contract/features'
import type { User } from '@portico/contract/sign-in'
import { Paper, Title } from '@mantine/core'
import type { ComponentProps, ComponentType } from 'react'
import { Link } from 'react-router'
import IconBinaryTree from '#icons/IconBinaryTree'
import IconDatabaseExport from '#icons/IconDatabaseExport'
import IconDatabaseImport from '#icons/IconDatabaseImport'
import IconDownload from '#icons/IconDownload'
import IconListSearch from '#icons/IconListSearch'
import IconTrash from '#icons/IconTrash'
import IconUserPlus from '#icons/IconUserPlus'
import { openNew } from '#lib/open-new.ts'
import { paths } from '#lib/paths.ts'
import { isMenuVisible } from '#lib/session/menus.ts'
import { useMayAdminister, useMayAdministerAll } from '#lib/session/role.ts'
import { useUser } from '#lib/session/session.ts'
import css from './quick-actions.module.css'

type Action = {
  label: string
  hint: string
  to: string
  Icon: ComponentType<ComponentProps<typeof IconDownload>>
  /** All of them are required. */
  features?: Feature[]
  /** Makes the entry redundant: another entry leads to the same screen. */
  unless?: Feature
  /** Its area's name in `preferences.menus`, which may hide it. */
  menu?: string
  /** Identities created by power admins enter all accounts, so creating one is not a quick action of theirs. */
  isFor?: 'power users' | 'power admins'
  /** Opens the form for a new item there. */
  isNew?: boolean
}

const listService = { menu: 'contactservice' } as const

const actions: Action[] = [
  {
    label: 'NEW IMPORT',
    hint: 'Import contacts from a file',
    to: paths.imports(),
    Icon: IconDatabaseImport,
    ...listService,
    features: ['contact-import-list', 'contact-imports-create'],
    isNew: true,
  },
  {
    label: 'NEW EXPORT',
    hint: 'Export contacts to a file',
    to: paths.exports(),
    Icon: IconDatabaseExport,
    ...listService,
    features: ['contact-export-list', 'contact-export-create'],
    isNew: true,
  },
  {
    label: 'Search & Analyze',
    hint: 'Find contacts',
    to: paths.contacts(),
    Icon: IconListSearch,
    ...listService,
    features: ['contact-offers-list'],
  },
  {
    label: 'Imports',
    hint: 'Follow imports and see their results',
    to: paths.imports(),
    Icon: IconDatabaseImport,
    ...listService,
    features: ['contact-import-list'],
    unless: 'contact-imports-create',
  },
  {
    label: 'Exports',
    hint: 'Follow exports and their deliveries',
    to: paths.exports(),
    Icon: IconDatabaseExport,
    ...listService,
    features: ['contact-export-list'],
    unless: 'contact-export-create',
  },
  {
    label: 'Downloads',
    hint: 'Download finished files',
    to: paths.downloads(),
    Icon: IconDownload,
    features: ['contact-downloads-list'],
  },
  {
    label: 'Deletes',
    hint: 'See which contacts were deleted',
    to: paths.deletes(),
    Icon: IconTrash,
    ...listService,
    features: ['contact-deletes-list'],
  },
  {
    label: 'Indexes',
    hint: 'See which fields are indexed',
    to: paths.indexes(),
    Icon: IconBinaryTree,
    ...listService,
    features: ['contact-indexes-list'],
  },
  {
    label: 'Invite someone',
    hint: 'Give a colleague access',
    to: paths.identities(),
    Icon: IconUserPlus,
    isFor: 'power users',
    isNew: true,
  },
  {
    label: 'Add a power user to this account',
    hint: 'Give someone full access',
    to: paths.accounts(),
    Icon: IconUserPlus,
    isFor: 'power admins',
    isNew: true,
  },
]

/** The most frequent actions that the user's permissions and the account's menus allow. */
export function QuickActions() {
  const user = useUser()
  const [mayAdminister, mayAdministerAll] = [useMayAdminister(), useMayAdministerAll()]
  const role = mayAdministerAll ? 'power admins' : mayAdminister ? 'power users' : undefined
  const open = actions.filter((action) => isOpen(action, user) && [undefined, role].includes(action.isFor))
  return (
    <Paper component="nav" className={css['card'] ?? ''} aria-labelledby="quick-actions">
      <Title order={2} id="quick-actions" className={css['title'] ?? ''}>
        Quick actions
      </Title>
      {open.length === 0 && <p className={css['none']}>Contact your admin to see how you can get more features.</p>}
      <ul className={css['list']}>
        {open.map(({ label, hint, to, Icon, isNew }) => (
          <li key={label}>
            <Link to={to} state={isNew ? openNew : null} className={css['action']}>
              <span className={css['icon']} aria-hidden>
                <Icon size={18} />
              </span>
              <span>
                <span className={css['label']}>{label}</span>
                <span className={css['hint']}>{hint}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Paper>
  )
}

const isOpen = ({ features = [], unless, menu }: Action, user: User): boolean =>
  features.every((feature) => user.policies.includes(feature)) &&
  (unless === undefined || !user.policies.includes(unless)) &&
  isMenuVisible({ menu }, user)
