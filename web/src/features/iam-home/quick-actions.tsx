import { Skeleton } from '@mantine/core'
import type { ComponentProps, ComponentType } from 'react'
import { Link } from 'react-router'
import IconAdjustmentsAlt from '#icons/IconAdjustmentsAlt'
import IconBuilding from '#icons/IconBuilding'
import IconHistory from '#icons/IconHistory'
import IconLink from '#icons/IconLink'
import IconListDetails from '#icons/IconListDetails'
import IconSettings from '#icons/IconSettings'
import IconShieldLock from '#icons/IconShieldLock'
import IconUser from '#icons/IconUser'
import IconUsers from '#icons/IconUsers'
import IconUsersGroup from '#icons/IconUsersGroup'
import { formatNumber } from '#lib/formats.ts'
import { paths } from '#lib/paths.ts'
import { useMayAdministerAll } from '#lib/session/role.ts'
import { useUser } from '#lib/session/session.ts'
import { useFigures } from './iam-home-queries.ts'
import css from './iam-home-page.module.css'

type Action = {
  /** Below `/iam`. */
  path: string
  label: string
  about: string
  Icon: ComponentType<ComponentProps<typeof IconUser>>
  figure?: keyof ReturnType<typeof useFigures>
  isForPowerAdmins?: boolean
  /** Not for power users in a sub-account. */
  isForMainAdministrators?: boolean
}

const actions: Action[] = [
  {
    path: 'people',
    label: 'People',
    about: 'One row a person across accounts: disable, sign out, remove, hand over.',
    Icon: IconUsers,
    isForMainAdministrators: true,
  },
  {
    path: 'identities',
    label: 'Identities',
    about: 'People with access: their groups, hours, network and API credentials.',
    Icon: IconUser,
    figure: 'identities',
  },
  {
    path: 'groups',
    label: 'Groups',
    about: 'Policies bundled for people with the same role.',
    Icon: IconUsersGroup,
    figure: 'groups',
  },
  {
    path: 'policies',
    label: 'Policies',
    about: 'Allowed actions and their conditions.',
    Icon: IconShieldLock,
    figure: 'policies',
  },
  {
    path: 'impersonation',
    label: 'Impersonation',
    about: 'Links that open the portal with some of your permissions for a few hours.',
    Icon: IconLink,
    figure: 'impersonation',
  },
  {
    path: 'audit',
    label: 'Audit',
    about: 'Changes with person, time and address.',
    Icon: IconHistory,
  },
  {
    path: 'preferences',
    label: 'Preferences',
    about: 'Menu visibility and inactivity timeout.',
    Icon: IconAdjustmentsAlt,
  },
  {
    path: 'list-service-configuration',
    label: 'List Service Configuration',
    about: "Defaults for the account's first import.",
    Icon: IconListDetails,
  },
  {
    path: 'settings',
    label: 'Settings',
    about: 'Display settings for this browser.',
    Icon: IconSettings,
  },
  {
    path: 'accounts',
    label: 'Accounts',
    about: 'Create, rename, suspend and enter accounts.',
    Icon: IconBuilding,
    figure: 'accounts',
    isForPowerAdmins: true,
  },
]

/** Actions in the area, with the number of its items. */
export function QuickActions() {
  const mayAdministerAll = useMayAdministerAll()
  const isMain = useUser().parent === null
  const figures = useFigures(mayAdministerAll)
  return (
    <ul className={css['actions']} aria-label="What you can do here">
      {actions
        .filter(({ isForPowerAdmins }) => !isForPowerAdmins || mayAdministerAll)
        .filter(({ isForMainAdministrators }) => !isForMainAdministrators || mayAdministerAll || isMain)
        .map(({ path, label, about, Icon, figure }) => (
          <li key={path}>
            <Link to={paths.iamScreen(path)} className={css['action']}>
              <Icon size={19} stroke={1.6} aria-hidden />
              <b>{label}</b> {figure && <Figure value={figures[figure]} />}{' '}
              <span className={css['about']}>{about}</span>
            </Link>
          </li>
        ))}
    </ul>
  )
}

function Figure({ value }: { value: number | undefined }) {
  if (value === undefined) return <Skeleton width={24} height={16} mt={2} />
  return <span className={css['figure']}>{formatNumber(value)}</span>
}
