import type { Feature } from '@portico/contract/features'
import { Paper, Title } from '@mantine/core'
import type { ComponentProps, ComponentType } from 'react'
import { Link } from 'react-router'
import IconDatabaseExport from '#icons/IconDatabaseExport'
import IconDatabaseImport from '#icons/IconDatabaseImport'
import IconDownload from '#icons/IconDownload'
import IconListSearch from '#icons/IconListSearch'
import IconUserPlus from '#icons/IconUserPlus'
import { openNew } from '#lib/open-new.ts'
import { useMayAdminister } from '#lib/session/role.ts'
import { useUser } from '#lib/session/session.ts'
import css from './quick-actions.module.css'

type Action = {
  label: string
  hint: string
  to: string
  Icon: ComponentType<ComponentProps<typeof IconDownload>>
  /** All of them are needed. */
  features?: Feature[]
  isForAdministrators?: boolean
  /** Opens the form for something new there. */
  isNew?: boolean
}

const actions: Action[] = [
  {
    label: 'NEW IMPORT',
    hint: 'Import contacts from a file',
    to: '/contact-service/imports',
    Icon: IconDatabaseImport,
    features: ['contact-import-list', 'contact-imports-create'],
    isNew: true,
  },
  {
    label: 'NEW EXPORT',
    hint: 'Export contacts to a file',
    to: '/contact-service/exports',
    Icon: IconDatabaseExport,
    features: ['contact-export-list', 'contact-export-create'],
    isNew: true,
  },
  {
    label: 'Search & Analyze',
    hint: 'Find contacts',
    to: '/contact-service/documents',
    Icon: IconListSearch,
    features: ['contact-offers-list'],
  },
  {
    label: 'Downloads',
    hint: 'Download finished files',
    to: '/downloads',
    Icon: IconDownload,
    features: ['contact-downloads-list'],
  },
  {
    label: 'Invite someone',
    hint: 'Give a colleague access',
    to: '/iam/identities',
    Icon: IconUserPlus,
    isForAdministrators: true,
    isNew: true,
  },
]

/** The most frequent actions, as far as the user's permissions allow them. */
export function QuickActions() {
  const { policies } = useUser()
  const mayAdminister = useMayAdminister()
  const open = actions.filter(
    ({ features = [], isForAdministrators = false }) =>
      features.every((feature) => policies.includes(feature)) && (mayAdminister || !isForAdministrators),
  )
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
